import { exchange, exchangeAtOnce, NO_ANSWER } from '../http/exchange.ts'
import { foreign, type JsonAnswer, TOO_LARGE } from '../http/request.ts'
import type { Client } from '../index.ts'
import type { Owner } from '../session/session.ts'
import type { JournalProgress, JournalRequest, ReplyOutcome } from './journal.ts'

/** A pause after a refusal that says nothing about the attempt, such as that of an ended session. */
const REFUSED_MS = 15_000
/** The service's words for an attempt that takes nothing any more. */
const ENDINGS = ['no_active_attempt', 'another_attempt', 'not_found']

/** Its words for a sync that is too large, in bytes or in values (docs/protocol/http.md#input). */
const TOO_LARGE_CODES = ['payload_too_large', 'invalid_json']

export function isEnding(code: string): boolean {
  return ENDINGS.includes(code)
}

/**
 * Sends a sync, or hands in. Only what the service itself says about this attempt changes it: everything else, such as
 * a proxy's page, is a fault, after which it is sent again.
 */
export async function save(
  client: Client,
  owner: Owner,
  { examId, attemptId }: JournalProgress,
  { kind, revision, answers, marked }: JournalRequest,
  atOnce = false,
): Promise<ReplyOutcome> {
  const askedAt = client.platform.now()
  const answer = await (atOnce ? exchangeAtOnce : exchange)(client, owner, {
    method: kind === 'submit' ? 'POST' : 'PUT',
    path: `exams/${examId}/${kind === 'submit' ? 'submit' : 'answers'}`,
    body: { attempt_id: attemptId, answers, markedForReview: marked, revision },
  })
  const outcome = read(answer, kind, attemptId)
  if (outcome.is === 'saved') client.clock.set(answer.body.saved_at, askedAt)
  if (outcome.is !== 'saved') client.diagnostics.note(`exam.${outcome.is}`, answer.body.code)
  return outcome
}

function read(
  { status, body, retryAfter }: JsonAnswer,
  kind: JournalRequest['kind'],
  attemptId: number,
): ReplyOutcome {
  if (status === 200 && body.attempt_id === attemptId) {
    if (kind === 'submit') return { is: 'submitted', result: body }
    const { revision, ends_at, rejected } = body
    return { is: 'saved', revision, endsAt: ends_at, rejected }
  }
  if (body.code === 'stale_revision') return { is: 'stale', saved: body }
  if (isEnding(body.code)) return { is: 'ended', arrived: body.arrived ?? [] }
  const isTooLarge = TOO_LARGE_CODES.includes(body.code)
  if (kind !== 'submit' && (status === TOO_LARGE || isTooLarge))
    return { is: 'too large', code: isTooLarge ? body.code : undefined }
  const isRefusal = status !== NO_ANSWER && status < 500
  return {
    is: 'fault',
    why: String(body.code ?? status),
    retryAfter: retryAfter ?? (isRefusal ? REFUSED_MS : 0),
  }
}

/** What the service says to a device whose time is up and that has nothing more to send. `fault`: nobody knows. */
export type EndOutcome = { is: 'fault' } | { is: 'ended' } | { is: 'waiting'; endsAt: string | null }

export async function sayEnd(
  client: Client,
  owner: Owner,
  { examId, attemptId, endsAt }: JournalProgress,
): Promise<EndOutcome> {
  const askedAt = client.platform.now()
  const path = `exams/${examId}/end`
  const sent = { method: 'POST', path, body: { attempt_id: attemptId } }
  const { status, body } = await exchange(client, owner, sent)
  if (status === NO_ANSWER || status >= 500) return { is: 'fault' }
  if (status === 200 && body.server_time) {
    client.clock.set(body.server_time, askedAt)
    return body.closed ? { is: 'ended' } : { is: 'waiting', endsAt: body.ends_at }
  }
  // A service of the previous version doesn't know this, and closes the attempt by itself.
  return isEnding(body.code) && status !== 404 ? { is: 'ended' } : { is: 'waiting', endsAt }
}

/**
 * The paper of the attempt that is named, or else of the active one; throws `Unreachable` for everything that is none.
 */
export async function readPaper(client: Client, owner: Owner, examId: number, attempt_id?: number) {
  const askedAt = client.platform.now()
  const read = await client.GET('/api/v01/exams/{exam_id}/paper', {
    params: { path: { exam_id: examId }, query: attempt_id ? { attempt_id } : {} },
    fetch: (request) => client.fetch(request, owner),
  })
  if (!read.error && !read.data?.attempt_id) throw foreign(read.response.status)
  if (read.data) client.clock.set(read.data.server_time, askedAt)
  return read
}
