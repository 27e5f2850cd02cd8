import type { Failure } from '../generated/openapi.ts'
import type { Client } from '../index.ts'
import { ServerClock } from './clock.ts'
import { forget, isSynced, type Journal, listJournals, openJournal, type Paper } from './journal.ts'
import { ExamSession } from './session.ts'

export type { Answer, Journal, PaperQuestion, SubmitResult } from './journal.ts'
export type { ExamSession } from './session.ts'
export type { ExamState } from './shown-state.ts'

/**
 * Continues an exam, or starts it. If the service can't be reached, it continues with the state stored on this machine;
 * without one it throws `Unreachable`. A refusal (no attempts left, not open yet, …) is answered as `error`.
 */
export async function openExam(
  client: Client,
  examId: number,
): Promise<{ exam: ExamSession; error?: never } | { exam?: never; error: Failure }> {
  const user = client.session.$user.get()
  if (!user) throw new Error('Nobody is signed in')
  const kept = await listJournals(client.platform.store, user.id, examId)
  const known = kept.filter(({ phase }) => phase === 'active' || phase === 'submitting').at(-1)
  const clock = new ServerClock(client.platform)
  const params = { path: { exam_id: examId } }
  if (!known) {
    const started = await client.POST('/api/v01/exams/{exam_id}/start', { params })
    if (started.error) return { error: started.error }
  }
  const askedAt = client.platform.now()
  let journal = known
  try {
    const { data, error } = await client.GET('/api/v01/exams/{exam_id}/paper', { params })
    if (data) {
      clock.set(data.server_time, askedAt)
      journal = takeUp(data, examId, known)
    } else if (!known) return { error }
    else if (error.code === 'no_active_attempt' && known.phase === 'active')
      journal = { ...known, phase: 'closed' }
  } catch (error) {
    if (!known) throw error
  }
  const exam = new ExamSession(client, user.id, journal as Journal, clock)
  await exam.begin()
  return { exam }
}

/** If the paper belongs to another attempt, the attempt stored on this machine has ended. */
function takeUp(paper: Paper, examId: number, known: Journal | undefined): Journal {
  if (known && known.attemptId !== paper.attempt_id) return { ...known, phase: 'closed' }
  return openJournal(paper, examId, known)
}

/** Attempts of the signed-in person that ended before all answers had arrived; kept until `forgetUndelivered`. */
export async function listUndelivered(client: Client): Promise<Journal[]> {
  const user = client.session.$user.get()
  if (!user) return []
  const all = await listJournals(client.platform.store, user.id)
  return all.filter((each) => each.phase === 'closed' && !isSynced(each))
}

export async function forgetUndelivered(client: Client, journal: Journal): Promise<void> {
  const user = client.session.$user.get()
  if (user) await forget(client.platform.store, user.id, journal)
}
