import type { Lifetime } from '../lifetime.ts'
import type { Platform } from '../platform.ts'

/**
 * The service could not be reached, or did not answer in time; it may have got the request or not. An answer that is
 * not the service's own, such as a proxy's page, counts as none.
 */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  /** What somebody on the way has answered in the service's place. */
  status?: number
}

export const API = '/api/v01/'
/** It won't get through by being repeated. */
export const TOO_LARGE = 413

export function foreign(status: number): Unreachable {
  return Object.assign(new Unreachable(`Not the service's answer (${status})`), { status })
}

/**
 * Sends one request, without retries. A JSON answer is read to its end, so that an incomplete one fails here.
 * Throws `Unreachable` for everything that is not the service's own answer.
 */
export async function send(
  platform: Platform & Partial<Pick<Lifetime, 'atEnd'>>,
  request: Request,
  timeoutMs?: number,
  fetch: (request: Request) => Promise<Response> = platform.fetch,
): Promise<Response> {
  const abort = new AbortController()
  const giveUp = () => abort.abort(request.signal.reason)
  const forget = platform.atEnd?.(() => abort.abort())
  request.signal.addEventListener('abort', giveUp)
  if (request.signal.aborted) giveUp()
  const cancel =
    timeoutMs === undefined
      ? undefined
      : platform.after(timeoutMs, () => abort.abort(new Unreachable('no answer')))
  let isWhole = true
  const work = async () => {
    const response = await fetch(new Request(request, { signal: abort.signal }))
    const { status, statusText, headers } = response
    const isPage = headers.get('content-type')?.includes('html')
    if (!headers.has('x-request-id') || isPage) throw foreign(status)
    if (!isJson(response)) {
      if (status >= 400) throw foreign(status)
      // The body is still arriving, and can be aborted.
      isWhole = false
      return response
    }
    const text = await response.text()
    if (request.url.includes(API) && !isOwn(JSON.parse(text), status < 400, request.method === 'GET'))
      throw foreign(status)
    return new Response(text, { status, statusText, headers })
  }
  try {
    return await orAborted(abort.signal, work())
  } catch (error) {
    if (request.signal.aborted) throw reasonOf(request.signal)
    if (error instanceof Unreachable) throw error
    throw new Unreachable('The service cannot be reached', { cause: error })
  } finally {
    cancel?.()
    if (isWhole) {
      forget?.()
      request.signal.removeEventListener('abort', giveUp)
    }
  }
}

/**
 * Whether it is in one of the service's envelopes (docs/protocol/http.md#envelopes), and says something, if it was
 * asked.
 */
function isOwn(body: JsonAnswer['body'], isSuccess: boolean, isRead: boolean): boolean {
  const { success, status, code, message: _, ...content } = body
  // Presence answers are named `status` too.
  const isEmpty = Object.keys(content).length === 0 && typeof status !== 'object'
  return isSuccess
    ? (success === true || status === 'success') && !(isRead && isEmpty)
    : typeof code === 'string' && (success === false || status === 'error')
}

/**
 * Rejects when the signal aborts, even if the request doesn't: the signals of copied requests hold each other only
 * weakly, so a request on a dead connection could hang for ever.
 */
export function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(reasonOf(signal))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Why something was aborted: React Native's signals don't say it before 0.87. */
export function reasonOf({ reason }: AbortSignal): unknown {
  return reason ?? Object.assign(new Error('It was aborted'), { name: 'AbortError' })
}

/** Rejects if the work takes longer; `late` is called then, before that. */
export function withLimit<T>(
  { after }: Pick<Platform, 'after'>,
  ms: number,
  work: Promise<T>,
  late: () => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = after(ms, () => {
      late()
      reject(new Unreachable('It took too long'))
    })
    work.then(resolve, reject).finally(cancel)
  })
}

/** A JSON answer of the service. */
export interface JsonAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asked for
  body: any
  /** Milliseconds to wait before the next try, if the service says so. */
  retryAfter: number | undefined
}

/** Of what `send` has answered, which has read it. */
export async function toJsonAnswer(response: Response): Promise<JsonAnswer> {
  if (!isJson(response)) throw foreign(response.status)
  return { status: response.status, body: await response.json(), retryAfter: readRetryAfter(response) }
}

export function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('json') === true
}

/** Milliseconds of `Retry-After` in seconds; the service sends no dates. */
export function readRetryAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') || Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined
}

export function withToken(request: Request, token: string): Request {
  const sent = new Request(request)
  sent.headers.set('authorization', `Bearer ${token}`)
  return sent
}

export function jsonRequest(method: string, url: string, body: unknown, init: RequestInit = {}): Request {
  return new Request(url, {
    ...init,
    method,
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    body: JSON.stringify(body),
  })
}
