import type { Platform } from '../platform.ts'
import type { Owner, Session } from '../session/session.ts'
import {
  API,
  type JsonAnswer,
  jsonRequest,
  orAborted,
  send,
  TOO_LARGE,
  toJsonAnswer,
  Unreachable,
  withToken,
} from './request.ts'

const EXCHANGE_MS = 15_000
/** An upload has failed if it makes no progress for this long. */
const STALLED_MS = 60_000
/** 64 KiB, headers and other requests included. */
export const LARGEST_LAST_CHANGE = 60 * 1_024

interface Sender {
  baseUrl: string
  platform: Platform
  session: Session
  fetch(request: Request, owner?: Owner): Promise<Response>
}

/** Sends a form once, as its owner; without progress on platforms that can't report it. */
export async function upload(
  { platform, session, fetch }: Sender,
  owner: Owner | undefined,
  request: Request,
  tell: Progress,
  form?: FormData,
): Promise<Response> {
  const token = owner && (await session.token(owner))
  const { upload: sendForm } = platform
  if (!sendForm || token === undefined) return fetch(request, owner)
  return send(platform, withToken(request, token), undefined, (sent) => sendForm(sent, tell, form))
}

/** A change that somebody makes, by the path below `/api/v01/`. */
export interface WriteRequest {
  method: string
  path: string
  /** A form is sent as one, anything else as JSON. */
  body: unknown
  /** Hears how much of a form is sent. */
  tell?: Progress
}

/** Bytes sent so far, and the total if it is known. */
export type Progress = (sent: number, total: number | undefined) => void

/** The status of a change that nobody has answered; `code` of its body is why. */
export const NO_ANSWER = 0
/** The client's own word for a service that can't be reached, or didn't answer in time. */
const UNREACHABLE = 'unreachable'

/**
 * Sends one change as its owner, and never as anybody else. It never throws: without an answer, after which the change
 * may have been made or not, the status is `NO_ANSWER`. 413 without a `code`: a proxy says so, not the service. A change
 * of somebody who is signed out isn't sent: that is 401 `authentication_required`.
 */
export async function exchange(
  sender: Sender,
  owner: Owner,
  { method, path, body, tell = () => {} }: WriteRequest,
  given?: AbortSignal,
): Promise<JsonAnswer> {
  let cancel = () => {}
  try {
    const abort = new AbortController()
    const stop = () => abort.abort()
    given?.addEventListener('abort', stop)
    const { signal } = abort
    const { baseUrl, platform } = sender
    const url = baseUrl + API + path
    const isForm = body instanceof FormData
    const begin = () => platform.after(isForm ? STALLED_MS : EXCHANGE_MS, stop)
    cancel = begin()
    const progress: Progress = (...sent) => {
      cancel()
      cancel = begin()
      tell(...sent)
    }
    const answer = isForm
      ? upload(sender, owner, new Request(url, { method, body, signal }), progress, body)
      : sender.fetch(jsonRequest(method, url, body, { signal }), owner)
    return await orAborted(signal, answer.then(toJsonAnswer))
  } catch (error) {
    // That much is true whoever says it.
    const isTooLarge = error instanceof Unreachable && error.status === TOO_LARGE
    return isTooLarge ? { status: TOO_LARGE, body: {}, retryAfter: undefined } : noAnswer(error)
  } finally {
    cancel()
  }
}

/**
 * Sends a request without waiting for anything, because the page may close at once: the request outlives it. Browsers
 * limit its size to `LARGEST_LAST_CHANGE`.
 */
export async function exchangeAtOnce(
  { baseUrl, platform, session }: Sender,
  owner: Owner,
  { method, path, body }: WriteRequest,
): Promise<JsonAnswer> {
  try {
    const token = session.tokenNow(owner)
    if (token === undefined) throw new Unreachable('There is no valid token')
    const headers = { authorization: `Bearer ${token}` }
    const request = jsonRequest(method, baseUrl + API + path, body, { keepalive: true, headers })
    return await toJsonAnswer(await send(platform, request))
  } catch (error) {
    return noAnswer(error)
  }
}

/** What isn't a failure of the line is one of this program or its platform, and says so itself. */
function noAnswer(error: unknown): JsonAnswer {
  const isLine = error instanceof Unreachable || (error as Error).name === 'AbortError'
  return { status: NO_ANSWER, body: { code: isLine ? UNREACHABLE : String(error) }, retryAfter: undefined }
}
