import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { AnswerBody, RequestBody } from './operations.ts'
import { Documented } from './promises/documented.ts'
import { openSocket, type SocketOptions, type TestSocket } from './socket.ts'

export interface Answer<Body = unknown> {
  status: number
  headers: Headers
  body: Body
}

interface RequestOptions {
  body?: unknown
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
}

export const PASSWORD = 'a password of the tests'

/** Somebody who talks to the service over HTTP and WebSocket as a client would. */
export class Client {
  url: string
  readonly documented: Documented
  id = 0
  username = ''
  accessToken: string | undefined
  refreshToken = ''
  /** A web session's `name=value`, sent with every request. */
  cookie: string | undefined

  constructor(url: string, documented: Documented) {
    this.url = url
    this.documented = documented
  }

  /** Somebody without an account yet, at a service that runs as its own process. */
  static async guest(url: string): Promise<Client> {
    return new Client(url, await Documented.load(url))
  }

  /** The same person at another node, with the same session. */
  at(url: string): Client {
    return Object.assign(new Client(url, this.documented), {
      id: this.id,
      username: this.username,
      accessToken: this.accessToken,
      refreshToken: this.refreshToken,
    })
  }

  async register(username: string): Promise<void> {
    const { body } = await this.post(
      '/api/v01/auth/register',
      { username, email: `${username}@example.org`, password: PASSWORD },
      201,
    )
    this.#signedIn(username, body.data)
  }

  async login(username: string, password = PASSWORD): Promise<void> {
    const { body } = await this.post('/api/v01/auth/login', { username, password }, 200)
    this.#signedIn(username, body.data)
  }

  /** Signs in as a browser does: later requests have a cookie and no bearer token. */
  async loginOnWeb(
    username: string,
    { password = PASSWORD, path = '/login' }: { password?: string; path?: '/login' | '/admin/login' } = {},
  ) {
    const answer = await this.post(path, { username, password }, 200)
    const [cookie] = answer.headers.getSetCookie()
    this.username = username
    this.id = answer.body.user.id
    this.accessToken = undefined
    this.cookie = cookie?.split(';', 1)[0]
    return answer
  }

  #signedIn(
    username: string,
    data: { user: { id: number }; access_token: string; refresh_token: string },
  ): void {
    this.username = username
    this.id = data.user.id
    this.accessToken = data.access_token
    this.refreshToken = data.refresh_token
  }

  get<P extends string, S extends number>(path: P, status?: S) {
    return this.request('GET', path, undefined, status)
  }
  post<P extends string, S extends number>(path: P, body?: RequestBody<'POST', P, S>, status?: S) {
    return this.request('POST', path, body === undefined ? {} : body, status)
  }
  put<P extends string, S extends number>(path: P, body?: RequestBody<'PUT', P, S>, status?: S) {
    return this.request('PUT', path, body === undefined ? {} : body, status)
  }
  patch<P extends string, S extends number>(path: P, body?: RequestBody<'PATCH', P, S>, status?: S) {
    return this.request('PATCH', path, body === undefined ? {} : body, status)
  }
  delete<P extends string, S extends number>(path: P, status?: S, body?: unknown) {
    return this.request('DELETE', path, body, status)
  }

  /** `body`: text, a form, bytes or a stream go as they are, anything else as JSON. `status`: expected, if given. */
  async request<M extends string, P extends string, S extends number>(
    method: M,
    path: P,
    body?: unknown,
    status?: S,
    headers?: Record<string, string>,
  ): Promise<Answer<AnswerBody<M, P, S>>> {
    const response = await this.#open(method, path, { body, headers })
    const text = await response.text()
    const isJson = typeOf(response)?.includes('json')
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    }
    this.documented.check(method, path, answer.status, typeOf(response), isJson ? answer.body : undefined)
    if (status !== undefined) expect(answer, `${method} ${path}`).toMatchObject({ status })
    return answer
  }

  /** An answer whose body the test reads for itself: bytes, events, or none because it hangs up. */
  async fetch(method: string, path: string, init: RequestOptions = {}): Promise<Response> {
    const response = await this.#open(method, path, init)
    this.documented.check(method, path, response.status, typeOf(response), undefined)
    return response
  }

  #open(method: string, path: string, { body, headers, signal }: RequestOptions): Promise<Response> {
    const isRaw =
      typeof body === 'string' || [FormData, Uint8Array, ReadableStream].some((each) => body instanceof each)
    return fetch(this.url + path, {
      method,
      redirect: 'manual',
      duplex: 'half',
      headers: {
        ...(this.accessToken === undefined ? {} : { authorization: `Bearer ${this.accessToken}` }),
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: signal ?? null,
      body: isRaw ? body : JSON.stringify(body),
    } as RequestInit)
  }

  /** Sends a chat message, once: `clientId` is random if it isn't given. */
  send<S extends number>(conversationId: number, message: string, clientId?: string, status?: S) {
    return this.post(
      `/api/v01/chat/conversations/${conversationId}/messages`,
      { message, client_id: clientId ?? randomUUID() },
      status,
    )
  }

  /** An open socket that has received `ready`. */
  socket(options: Partial<SocketOptions> = {}): Promise<TestSocket> {
    return openSocket({ url: this.url, token: this.accessToken, ...options })
  }
}

function typeOf(response: Response): string | undefined {
  return response.headers.get('content-type')?.split(';', 1)[0]
}
