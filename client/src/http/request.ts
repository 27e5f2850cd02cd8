import type { Platform } from '../platform.ts'

/** The service could not be reached, or did not answer in time; it may have got the request or not. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Sends one request, without retries. A JSON answer is read to its end, so that an incomplete one fails here. */
export async function send(platform: Platform, request: Request, timeoutMs?: number): Promise<Response> {
  const abort = new AbortController()
  const giveUp = () => abort.abort(request.signal.reason)
  request.signal.addEventListener('abort', giveUp)
  if (request.signal.aborted) giveUp()
  const cancel =
    timeoutMs === undefined
      ? undefined
      : platform.after(timeoutMs, () => abort.abort(new Unreachable('no answer')))
  let isWhole = true
  const work = async () => {
    const response = await platform.fetch(new Request(request, { signal: abort.signal }))
    if (!response.headers.get('content-type')?.includes('json')) {
      // The body is still arriving, and can be aborted.
      isWhole = false
      return response
    }
    const { status, statusText, headers } = response
    return new Response(await response.text(), { status, statusText, headers })
  }
  try {
    return await orAborted(abort.signal, work())
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    throw new Unreachable('The service cannot be reached', { cause: error })
  } finally {
    cancel?.()
    if (isWhole) request.signal.removeEventListener('abort', giveUp)
  }
}

/**
 * Rejects when the signal aborts, even if the request doesn't: the signals of copied requests hold each other only
 * weakly, so a request on a dead connection could hang for ever.
 */
export function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

export interface JsonAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asked for
  body: any
  /** Milliseconds to wait before the next try, if the service says so. */
  retryAfter: number | undefined
}

export async function toJsonAnswer(response: Response): Promise<JsonAnswer> {
  const body = await response.json().catch(() => ({}))
  return { status: response.status, body, retryAfter: readRetryAfter(response) }
}

/** Milliseconds of `Retry-After` in seconds; the service sends no dates. */
export function readRetryAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') || Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined
}

export function jsonRequest(method: string, url: string, body: unknown, init: RequestInit = {}): Request {
  return new Request(url, {
    ...init,
    method,
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    body: JSON.stringify(body),
  })
}

const EXCHANGE_MS = 15_000

/** Sends one change as the signed-in person; undefined if no answer came in time: it may have been made or not. */
export async function exchange(
  {
    baseUrl,
    platform,
    fetch,
  }: { baseUrl: string; platform: Platform; fetch(request: Request): Promise<Response> },
  method: string,
  path: string,
  body: unknown,
): Promise<JsonAnswer | undefined> {
  const abort = new AbortController()
  const cancel = platform.after(EXCHANGE_MS, () => abort.abort())
  try {
    const request = jsonRequest(method, `${baseUrl}/api/v01/${path}`, body, { signal: abort.signal })
    return await orAborted(abort.signal, fetch(request).then(toJsonAnswer))
  } catch {
    return undefined
  } finally {
    cancel()
  }
}
