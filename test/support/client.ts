import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { paths } from '../../client/src/generated/openapi.ts'
import type { Documented } from './promises/documented.ts'
import { openSocket, type SocketOptions, type TestSocket } from './socket.ts'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  body: any
}

/**
 * The JSON body of an operation, if the request is expected to succeed; a test of a refusal may send anything. Paths may
 * be templates, but not other computed texts.
 */
type BodyOf<Method extends string, Path, Status> = Status extends 200 | 201 | 202
  ? OperationOf<Path> extends {
      [M in Method]: { requestBody: { content: { 'application/json': infer Body } } }
    }
    ? Body
    : unknown
  : unknown
type OperationOf<Path> = {
  [Each in keyof paths]: Path extends Filled<Each> ? paths[Each] : never
}[keyof paths]
/** A path with any text in place of its parameters. */
type Filled<Path> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path

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

  /** The same person at another node, or with another session. */
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

  /** Signs in as a browser does: from here on by cookie, without a bearer token. */
  async loginOnWeb(username: string, { password = PASSWORD, path = '/login' } = {}): Promise<Answer> {
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

  get(path: string, status?: number): Promise<Answer> {
    return this.request('GET', path, undefined, status)
  }
  post<P extends string, S extends number>(
    path: P,
    body?: BodyOf<'post', P, S>,
    status?: S,
  ): Promise<Answer> {
    return this.request('POST', path, body === undefined ? {} : body, status)
  }
  put<P extends string, S extends number>(path: P, body?: BodyOf<'put', P, S>, status?: S): Promise<Answer> {
    return this.request('PUT', path, body === undefined ? {} : body, status)
  }
  patch<P extends string, S extends number>(
    path: P,
    body?: BodyOf<'patch', P, S>,
    status?: S,
  ): Promise<Answer> {
    return this.request('PATCH', path, body === undefined ? {} : body, status)
  }
  delete(path: string, status?: number, body?: unknown): Promise<Answer> {
    return this.request('DELETE', path, body, status)
  }

  /** `body`: a string, a form or bytes go as they are, anything else as JSON. `status`: expected, if given. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    status?: number,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.accessToken === undefined ? {} : { authorization: `Bearer ${this.accessToken}` }),
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: (raw ? body : JSON.stringify(body)) as string | FormData | Uint8Array<ArrayBuffer> }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type')?.split(';', 1)[0]
    const isJson = type?.includes('json')
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    }
    this.documented.check(method, path, answer.status, type, isJson ? answer.body : undefined)
    if (status !== undefined) expect(answer, `${method} ${path}`).toMatchObject({ status })
    return answer
  }

  /** Sends a chat message; its answer. */
  send(conversationId: number, message: string, clientId?: string, status?: number): Promise<Answer> {
    return this.post(
      `/api/v01/chat/conversations/${conversationId}/messages`,
      { message, client_id: clientId ?? randomUUID() },
      status,
    )
  }

  /** An open socket that was told `ready`. */
  socket(options: Partial<SocketOptions> = {}): Promise<TestSocket> {
    return openSocket({ url: this.url, token: this.accessToken, ...options })
  }
}
