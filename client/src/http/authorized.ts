import type { Note } from '../diagnostics.ts'
import type { Platform } from '../platform.ts'
import { EXPIRED, type Owner, type Session } from '../session/session.ts'
import { send, withToken } from './request.ts'
import { retrying } from './retry.ts'

/** A read that takes longer than this has failed; writes may take longer, and end by their caller's signal. */
const READ_TIMEOUT_MS = 30_000

/**
 * Sends a request as its owner: left out, whoever is signed in when it is made. If the service refuses the token, once
 * more with a new one. A try that comes after the end of the owner's session isn't sent: it is answered with 401
 * `authentication_required`.
 */
export async function authorized(
  platform: Platform,
  session: Session,
  note: Note,
  request: Request,
  given: Owner | undefined,
): Promise<Response> {
  const owner = given ?? session.owner() ?? (await session.ready.then(() => session.owner()))
  // A streamed answer has no timeout: its pauses look like a hanging request.
  const isStream = request.headers.get('accept')?.includes('text/event-stream')
  const timeout = request.method === 'GET' && !isStream ? READ_TIMEOUT_MS : undefined
  return retrying(platform, note, request, async (attempt) => {
    if (!owner) return send(platform, attempt, timeout)
    const token = await session.token(owner)
    if (token === undefined) return signedOut()
    const spare = attempt.method === 'GET' ? attempt : (attempt.clone() as Request)
    const response = await send(platform, withToken(attempt, token), timeout)
    if (response.status !== 401) return response
    const { code } = (await response.clone().json()) as { code: string }
    if (code !== EXPIRED) return response
    const next = await session.token(owner, token)
    return next === undefined ? response : send(platform, withToken(spare, next), timeout)
  })
}

function signedOut(): Response {
  const body = { success: false, code: 'authentication_required', message: 'You have signed out' }
  const headers = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(body), { status: 401, headers })
}
