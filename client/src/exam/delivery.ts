import { exchange } from '../http/request.ts'
import type { Client } from '../index.ts'
import type { ServerClock } from './clock.ts'
import { acknowledge, isSynced, type Journal, rebase, type Sent, toSend } from './journal.ts'

const SIGNED_OUT_MS = 15_000

export function hasWork(journal: Journal): boolean {
  return journal.phase === 'submitting' || (journal.phase === 'active' && !isSynced(journal))
}

/**
 * Sends the answers that the service doesn't have yet; if it has all, hands in the exam. Resolves to a function that
 * applies the outcome to the journal, or to the milliseconds until the next try.
 */
export async function deliver(
  client: Client,
  journal: Journal,
  clock: ServerClock,
): Promise<number | ((journal: Journal) => Journal)> {
  const isSubmit = isSynced(journal)
  const sent = toSend(journal)
  const askedAt = client.platform.now()
  const path = `exams/${journal.examId}/${isSubmit ? 'submit' : 'answers'}`
  const answer = await exchange(client, isSubmit ? 'POST' : 'PUT', path, toBody(sent, journal))
  if (!answer || answer.status >= 500 || answer.status === 429) return answer?.retryAfter ?? 0
  const { status, body } = answer
  if (status === 200) {
    if (isSubmit) return (now) => ({ ...now, phase: 'submitted', result: body })
    clock.set(body.saved_at, askedAt)
    return (now) => ({
      ...acknowledge(now, sent, body.rejected),
      revision: Math.max(now.revision, body.revision),
      endsAt: body.ends_at,
    })
  }
  client.diagnostics.note('exam.refused', body.code)
  if (status === 401) return SIGNED_OUT_MS
  if (body.code === 'stale_revision') return (now) => rebase(now, body)
  // The attempt has ended or was deleted: nothing can be delivered any more.
  return (now) => ({ ...now, phase: 'closed' })
}

export function toBody({ answers, marked }: Sent, { revision }: Journal) {
  return { answers, markedForReview: marked, revision }
}
