import type { Line } from './line.ts'
import type { World } from './world.ts'

/** A request, as an area of the service takes it. */
export interface Call {
  method: string
  /** The path below `/api/v01/`. */
  name: string
  query: URLSearchParams
  body: Record<string, unknown>
  length: number
  /** The form, where one was sent. */
  form: FormData | undefined
  authorization: string | null
}

/** What is answered: a status and a body. */
export type Reply = [number, object]

/** The service's sessions; what it does for people is added by each kind of it. */
export abstract class Service {
  /** How long an access token lives. */
  tokenMs = 10 * 60_000
  /** The longest body that it takes. */
  longest = Number.POSITIVE_INFINITY
  protected readonly world: World
  readonly #sessions = new Map<string, number>()

  constructor(world: World) {
    this.world = world
  }

  /** Answers at once, as one node would that never fails. */
  readonly serve = async (request: Request, form?: FormData): Promise<Response> =>
    this.respond(await readCall(request, form))

  respond(call: Call): Response {
    const [status, body] = this.#answer(call)
    return new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', 'x-request-id': this.world.id() },
    })
  }

  /** Who a token belongs to, if it is valid, and until when. */
  caller(token: string): { userId: number; session: string; expiresAt: number } | undefined {
    const [session = '', expiry] = token.split(' ')
    const userId = this.#sessions.get(session)
    const expiresAt = Number(expiry)
    return userId !== undefined && expiresAt > this.world.now ? { userId, session, expiresAt } : undefined
  }

  /** An administrator ends all sessions of somebody. */
  endSessions(userId: number): void {
    for (const [session, owner] of this.#sessions) if (owner === userId) this.#end(session)
  }

  protected abstract answer(call: Call, userId: number, session: string): Reply

  /** A WebSocket of somebody; `end` is called when it has ended. Left out: only HTTP is answered. */
  accept(line: Line, end: () => void): void {
    line.close(1006)
    end()
  }

  /** A session has ended. */
  protected ended(_session: string): void {}

  protected time(at: number): string {
    return new Date(at).toISOString()
  }

  #answer(call: Call): Reply {
    const { name, body, length } = call
    if (length > this.longest) return refuse(413, 'payload_too_large')
    if (name === 'auth/login') return this.#login(Number(body.username))
    if (name === 'auth/refresh') return this.#refresh(`${body.refresh_token}`)
    if (name === 'auth/logout') {
      this.#end(`${body.refresh_token}`)
      return [200, { status: 'success', message: '' }]
    }
    const caller = this.caller((call.authorization ?? '').replace('Bearer ', ''))
    return caller ? this.answer(call, caller.userId, caller.session) : refuse(401, 'token_expired_or_invalid')
  }

  #login(userId: number): Reply {
    const refresh_token = this.world.id()
    this.#sessions.set(refresh_token, userId)
    const user = { id: userId, username: `${userId}`, full_name: `${userId}`, role: 'user' }
    const data = { user, available_portals: ['user'], refresh_token, ...this.#accessToken(refresh_token) }
    return [200, { status: 'success', data }]
  }

  #refresh(token: string): Reply {
    if (!this.#sessions.has(token)) return refuse(401, 'token_expired_or_invalid')
    return [200, { status: 'success', data: this.#accessToken(token) }]
  }

  #end(session: string): void {
    this.#sessions.delete(session)
    this.ended(session)
  }

  #accessToken(session: string) {
    const access_token = `${session} ${this.world.now + this.tokenMs}`
    return { access_token, token_type: 'Bearer', expires_in: this.tokenMs / 1_000 }
  }
}

export async function readCall(request: Request, form?: FormData): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url)
  const text = await request.text()
  return {
    method: request.method,
    name: /\/api\/v01\/(.*)$/.exec(pathname)?.[1] ?? '',
    query: searchParams,
    body: text === '' ? {} : JSON.parse(text),
    length: text.length,
    form,
    authorization: request.headers.get('authorization'),
  }
}

export function refuse(status: number, code: string, more: object = {}): Reply {
  return [status, { success: false, status: 'error', code, message: code, ...more }]
}
