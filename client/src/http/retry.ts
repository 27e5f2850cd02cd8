import type { Note } from '../diagnostics.ts'
import type { Platform } from '../platform.ts'
import { orAborted, readRetryAfter, TOO_LARGE, Unreachable } from './request.ts'

const TRIES = 3
const BASE_MS = 400
/** If the service asks for a longer pause, the refusal is the answer. */
const LONGEST_WAIT_MS = 10_000

/**
 * Retries what may be carried out twice: reads and replacing writes whose answer was lost or was 503; and everything
 * that was refused with 429, as that was not carried out.
 */
export async function retrying(
  platform: Platform,
  note: Note,
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const isHarmless = isRead || request.method === 'PUT'
  // Forms are not retried: copying one reads it into memory.
  const isForm = request.headers.get('content-type')?.startsWith('multipart/')
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === TRIES || isForm
    let wait = platform.random() * BASE_MS * 2 ** attempt
    try {
      const response = await orAborted(
        request.signal,
        send(isRead || isLast ? request : (request.clone() as Request)),
      )
      if (isLast || !(response.status === 429 || (response.status === 503 && isHarmless))) return response
      wait += readRetryAfter(response) ?? 0
      if (wait > LONGEST_WAIT_MS) return response
      note('http.retry', response.status)
    } catch (error) {
      const isFault = error instanceof Unreachable && error.status !== TOO_LARGE
      if (isLast || !isHarmless || !isFault) throw error
      note('http.retry', 'unreachable')
    }
    await orAborted(request.signal, new Promise<void>((resolve) => platform.after(wait, resolve)))
  }
}
