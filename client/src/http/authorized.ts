import type { Note } from '../diagnostics.ts'
import type { Platform } from '../platform.ts'
import type { Session } from '../session/session.ts'
import { send } from './request.ts'
import { retrying } from './retry.ts'

/** A read that takes longer than this has failed; writes may take longer, and end by their caller's signal. */
const READ_TIMEOUT_MS = 30_000

/** Sends requests as the signed-in person; if the service refuses the token, once more with a new one. */
export function authorized(
  platform: Platform,
  session: Session,
  note: Note,
  request: Request,
): Promise<Response> {
  // A streamed answer has no timeout: its pauses look like a hanging request.
  const isStream = request.headers.get('accept')?.includes('text/event-stream')
  const timeout = request.method === 'GET' && !isStream ? READ_TIMEOUT_MS : undefined
  return retrying(platform, note, request, async (attempt) => {
    const token = await session.token()
    if (token === undefined) return send(platform, attempt, timeout)
    const spare = attempt.method === 'GET' ? attempt : (attempt.clone() as Request)
    const response = await send(platform, withToken(attempt, token), timeout)
    if (response.status !== 401) return response
    const { code } = (await response
      .clone()
      .json()
      .catch(() => ({}))) as { code?: string }
    if (code !== 'token_expired_or_invalid') return response
    const next = await session.token(token)
    return next === undefined ? response : send(platform, withToken(spare, next), timeout)
  })
}

export function withToken(request: Request, token: string): Request {
  const sent = new Request(request)
  sent.headers.set('authorization', `Bearer ${token}`)
  return sent
}
