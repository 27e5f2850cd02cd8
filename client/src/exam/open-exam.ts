import type { Failure } from '../generated/openapi.ts'
import { withLimit } from '../http/request.ts'
import type { Client } from '../index.ts'
import type { Owner } from '../session/session.ts'
import { ExamSession } from './exam-session.ts'
import {
  type Answer,
  hasWork,
  isMissing,
  isOpen,
  type Journal,
  type JournalRequest,
  openJournal,
} from './journal.ts'
import { forgetJournal, listJournals } from './kept-journals.ts'
import { readPaper, save } from './saving.ts'

export type { ExamSession } from './exam-session.ts'
export type { Answer, Journal, PaperQuestion, SubmitResult } from './journal.ts'
export { type KeptAnswers, type KeptAnswersSender, sendKeptAnswers } from './kept-answers.ts'
export type { ExamState } from './shown-state.ts'

const START_MS = 60_000
/** How long after its end, by this machine's clock, somebody may still be sending answers of an attempt. */
const SURELY_OVER_MS = 60_000

/**
 * Continues an attempt from what is stored on this machine, without waiting for the service; undefined if there is none
 * to go on with.
 */
export async function resumeExam(client: Client, examId: number): Promise<ExamSession | undefined> {
  await client.session.ready
  const owner = client.session.owner()
  if (!owner) return undefined
  await client.clock.ready
  const known = await findJournal(client, owner, examId)
  return known && isWorthIt(known, client) ? reopen(client, owner, known) : undefined
}

/**
 * Continues an exam, or starts it. What is stored on this machine is shown at once, and the service is asked after
 * that; without anything stored and without the service it throws `Unreachable`. A refusal (no attempts left, not open
 * yet, …) is answered as `error`.
 */
export async function openExam(
  client: Client,
  examId: number,
): Promise<{ exam: ExamSession; error?: never } | { exam?: never; error: Failure }> {
  await client.session.ready
  const owner = client.session.owner()
  if (!owner) throw new Error('Nobody is signed in')
  await client.clock.ready
  const known = await findJournal(client, owner, examId)
  if (known && isWorthIt(known, client)) return { exam: await reopen(client, owner, known) }

  try {
    const started = await withLimit(
      client.platform,
      START_MS,
      client.POST('/api/v01/exams/{exam_id}/start', {
        params: { path: { exam_id: examId } },
        fetch: (request) => client.fetch(request, owner),
      }),
    )
    if (started.error) return { error: started.error }
    const { data, error } = await readPaper(client, owner, examId)
    if (error) return { error }
    return { exam: await open(client, owner, openJournal(data, examId)) }
  } catch (error) {
    if (known) return { exam: await reopen(client, owner, known) }
    throw error
  }
}

/**
 * Attempts of the signed-in person that ended before all answers had arrived; kept until `forgetUndelivered`. The
 * service is asked: answers may have arrived whose acknowledgement was lost.
 */
export async function listUndelivered(client: Client): Promise<Journal[]> {
  await client.session.ready
  const owner = client.session.owner()
  if (!owner) return []
  await client.clock.ready
  const now = client.clock.now()
  const all = await listJournals(client.storage, owner.userId)
  const over = all.filter((each) => isMissing(each) && (!isOpen(each) || isSurelyOver(each, now)))
  const missing = await Promise.all(over.map((each) => askForMissing(client, owner, each)))
  return missing.filter(isMissing)
}

async function askForMissing(client: Client, owner: Owner, journal: Journal): Promise<Journal> {
  const missing = Object.entries(journal.unsynced)
  const arrived = await askForArrived(client, owner, journal, missing)
  const rest = missing.filter(([id]) => !arrived.includes(Number(id)))
  const asked = { ...journal, unsynced: Object.fromEntries(rest) }
  if (!isMissing(asked)) await forgetJournal(client.storage, owner.userId, journal).catch(() => {})
  return asked
}

/** The questions of these answers that the ended attempt has, as far as the service says so. */
async function askForArrived(
  client: Client,
  owner: Owner,
  journal: Journal,
  missing: [string, Answer | null][],
): Promise<number[]> {
  // Should the attempt be active all the same, this undoes nothing: it has the lowest revision.
  const sent: JournalRequest = {
    kind: 'sync',
    revision: 0,
    answers: Object.fromEntries(missing),
    marked: undefined,
  }
  const outcome = await save(client, owner, journal, sent)
  if (outcome.is === 'ended') return outcome.arrived
  if (outcome.is !== 'too large' || missing.length < 2) return []
  const half = missing.length / 2
  const halves = [missing.slice(0, half), missing.slice(half)]
  const found = await Promise.all(halves.map((each) => askForArrived(client, owner, journal, each)))
  return found.flat()
}

export async function forgetUndelivered(client: Client, journal: Journal): Promise<void> {
  const owner = client.session.owner()
  if (owner) await forgetJournal(client.storage, owner.userId, journal)
}

/** The latest attempt at the exam that is stored here and not known to have ended. */
async function findJournal(client: Client, owner: Owner, examId: number): Promise<Journal | undefined> {
  // A store that fails now may have one: it is taken up as soon as the store works again.
  const kept = await listJournals(client.storage, owner.userId, examId).catch(() => [])
  return kept.filter((each) => isOpen(each) && each.questions.length > 0).pop()
}

/** Whether there is something left to do: the service may have ended it long ago. */
function isWorthIt(journal: Journal, { clock }: Client): boolean {
  return hasWork(journal) || !isSurelyOver(journal, clock.now())
}

async function open(client: Client, owner: Owner, journal: Journal): Promise<ExamSession> {
  const exam = new ExamSession(client, owner, journal)
  await exam.begin()
  return exam
}

async function reopen(...known: Parameters<typeof open>): Promise<ExamSession> {
  const exam = await open(...known)
  void exam.refresh().catch(() => {})
  return exam
}

function isSurelyOver({ endsAt }: Journal, now: number): boolean {
  return endsAt !== null && now > Date.parse(endsAt) + SURELY_OVER_MS
}
