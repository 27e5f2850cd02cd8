import type { paths } from '../generated/openapi.ts'
import type { Store } from '../platform.ts'

export type Paper =
  paths['/api/v01/exams/{exam_id}/paper']['get']['responses'][200]['content']['application/json']
export type PaperQuestion = Paper['questions'][number]
export type SubmitResult =
  paths['/api/v01/exams/{exam_id}/submit']['post']['responses'][200]['content']['application/json']
/** MCQ: a letter; MSQ: letters; NUMERIC: a number as text. */
export type Answer = string | string[]

/** One attempt as it is stored on this machine: enough to go on without the service. */
export interface Journal {
  attemptId: number
  examId: number
  questions: PaperQuestion[]
  /** As the student sees them. */
  answers: Record<string, Answer>
  marked: number[]
  /** Answers that the service has not acknowledged; null clears an answer. */
  unsynced: Record<string, Answer | null>
  isMarkedUnsynced: boolean
  /** The highest revision that was sent or received. */
  revision: number
  endsAt: string | null
  /** Answers that the service refused, and why. */
  rejected: Record<string, string>
  /** `submitting`: handed in but not acknowledged. `closed`: ended, and not handed in on this machine. */
  phase: 'active' | 'submitting' | 'submitted' | 'closed'
  result?: SubmitResult
}

/** Entries below this key survive a logout, and are only shown to the same account again. */
const KEPT = 'kept/'

/** The part that changes. The paper never changes and is stored separately, so that saving an answer writes little. */
export type Progress = Omit<Journal, 'questions'>

const keyOf = (kind: 'exam' | 'paper', userId: number, { examId, attemptId }: Progress) =>
  `${KEPT}${userId}/${kind}/${examId}/${attemptId}`

export async function keepPaper(
  store: Store,
  userId: number,
  { questions, ...rest }: Journal,
): Promise<void> {
  await store.set(keyOf('paper', userId, rest), questions)
}

export async function keepProgress(store: Store, userId: number, journal: Journal): Promise<void> {
  await store.set(keyOf('exam', userId, journal), toProgress(journal))
}

export async function forget(store: Store, userId: number, journal: Progress): Promise<void> {
  await store.delete(keyOf('exam', userId, journal))
  await store.delete(keyOf('paper', userId, journal))
}

export async function readProgress(
  store: Store,
  userId: number,
  journal: Journal,
): Promise<Progress | undefined> {
  return (await store.get(keyOf('exam', userId, journal))) as Progress | undefined
}

export function toProgress({ questions: _, ...progress }: Journal): Progress {
  return progress
}

/** The stored journals of an account, or of one exam, the oldest first. */
export async function listJournals(store: Store, userId: number, examId?: number): Promise<Journal[]> {
  const prefix = `${KEPT}${userId}/exam/${examId === undefined ? '' : `${examId}/`}`
  const kept = (await store.list(prefix)).map(([, progress]) => progress as Progress)
  const papers = await Promise.all(kept.map((each) => store.get(keyOf('paper', userId, each))))
  return kept.map((each, at) => ({ ...each, questions: (papers[at] ?? []) as PaperQuestion[] }))
}

/** The service's state, with this machine's unsynced answers applied. */
export function openJournal(paper: Paper, examId: number, known?: Journal): Journal {
  const { attempt_id, questions, answers, markedForReview, revision, ends_at } = paper
  const own = known?.attemptId === attempt_id ? known : undefined
  return rebase(
    {
      attemptId: attempt_id,
      examId,
      questions,
      answers: {},
      marked: own?.marked ?? [],
      unsynced: own?.unsynced ?? {},
      isMarkedUnsynced: own?.isMarkedUnsynced ?? false,
      revision: own?.revision ?? 0,
      endsAt: ends_at,
      rejected: own?.rejected ?? {},
      phase: own?.phase ?? 'active',
    },
    { answers: answers as Record<string, Answer>, markedForReview, revision },
  )
}

/** Takes over answers that another device has saved, and applies this machine's unsynced ones. */
export function rebase(
  journal: Journal,
  stored: { answers: Record<string, Answer>; markedForReview: number[]; revision: number },
): Journal {
  return {
    ...journal,
    answers: apply(stored.answers, journal.unsynced),
    marked: journal.isMarkedUnsynced ? journal.marked : stored.markedForReview,
    revision: Math.max(journal.revision, stored.revision),
  }
}

export function withAnswer(journal: Journal, questionId: number, answer: Answer | null): Journal {
  const { [questionId]: _, ...rejected } = journal.rejected
  return {
    ...journal,
    answers: apply(journal.answers, { [questionId]: answer }),
    unsynced: { ...journal.unsynced, [questionId]: answer },
    rejected,
  }
}

export function withMark(journal: Journal, questionId: number, isMarked: boolean): Journal {
  const others = journal.marked.filter((id) => id !== questionId)
  return { ...journal, marked: isMarked ? [...others, questionId] : others, isMarkedUnsynced: true }
}

export interface Sent {
  answers: Record<string, Answer | null>
  marked: number[] | undefined
}

/** Marks the sent answers as synced, except those that have changed meanwhile. */
export function acknowledge(
  journal: Journal,
  sent: Sent,
  rejected: { question_id: number | null; message: string }[] | null,
): Journal {
  const unsynced = { ...journal.unsynced }
  for (const [id, answer] of Object.entries(sent.answers)) if (unsynced[id] === answer) delete unsynced[id]
  return {
    ...journal,
    unsynced,
    isMarkedUnsynced: journal.isMarkedUnsynced && sent.marked !== journal.marked,
    rejected: {
      ...journal.rejected,
      ...Object.fromEntries((rejected ?? []).map(({ question_id, message }) => [question_id, message])),
    },
  }
}

export function isSynced({ unsynced, isMarkedUnsynced }: Journal): boolean {
  return Object.keys(unsynced).length === 0 && !isMarkedUnsynced
}

/** The content of a sync; with a limit only as many answers as fit, the latest first. */
export function toSend(
  { unsynced, marked, isMarkedUnsynced }: Journal,
  mostBytes = Number.POSITIVE_INFINITY,
): Sent {
  const bytes = (part: unknown) => new TextEncoder().encode(JSON.stringify(part)).length + 1
  let left = mostBytes - 100
  const sendMarked = isMarkedUnsynced && bytes(marked) < left ? marked : undefined
  if (sendMarked) left -= bytes(sendMarked)
  const answers: Sent['answers'] = {}
  for (const [id, answer] of Object.entries(unsynced).reverse()) {
    left -= bytes({ [id]: answer })
    if (left < 0) break
    answers[id] = answer
  }
  return { answers, marked: sendMarked }
}

function apply(
  answers: Record<string, Answer>,
  changes: Record<string, Answer | null>,
): Record<string, Answer> {
  const changed: Record<string, Answer> = { ...answers }
  for (const [id, answer] of Object.entries(changes)) {
    if (answer === null) delete changed[id]
    else changed[id] = answer
  }
  return changed
}
