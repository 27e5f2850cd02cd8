import type { Storage } from '../storage/storage.ts'
import { isDone, type Journal, type JournalProgress, type PaperQuestion } from './journal.ts'

/** Entries below this key survive a logout, and are only shown to the same account again. */
const KEPT = 'kept/'

const keyOf = (kind: 'exam' | 'paper', userId: number, { examId, attemptId }: JournalProgress) =>
  `${KEPT}${userId}/${kind}/${examId}/${attemptId}`

/**
 * Makes this tab the one that writes a journal: what an earlier writer stores later is refused. Answers what is stored,
 * and the writer's number. A journal that isn't stored yet is stored.
 */
export async function claimJournal(
  storage: Storage,
  userId: number,
  journal: Journal,
): Promise<{ stored: JournalProgress | undefined; writer: number }> {
  let stored: JournalProgress | undefined
  await storage.update(keyOf('exam', userId, journal), (value) => {
    stored = value as JournalProgress | undefined
    const progress = stored ?? toProgress(journal)
    return { ...progress, writer: progress.writer + 1 }
  })
  return { stored, writer: (stored ?? journal).writer + 1 }
}

/**
 * Stores a journal, or removes it if nothing of it is needed any more. False: another tab has claimed it, so nothing is
 * stored.
 */
export async function keepJournal(storage: Storage, userId: number, journal: Journal): Promise<boolean> {
  let isWriter = true
  await storage.update(keyOf('exam', userId, journal), (value) => {
    const { writer = 0 } = (value ?? {}) as Partial<JournalProgress>
    isWriter = writer <= journal.writer
    if (!isWriter) return value
    return isDone(journal) ? undefined : toProgress(journal)
  })
  if (isWriter && isDone(journal)) await storage.delete(keyOf('paper', userId, journal))
  return isWriter
}

export function keepPaper(storage: Storage, userId: number, journal: Journal): Promise<void> {
  return storage.set(keyOf('paper', userId, journal), journal.questions)
}

export async function forgetJournal(
  storage: Storage,
  userId: number,
  journal: JournalProgress,
): Promise<void> {
  await storage.delete(keyOf('exam', userId, journal))
  await storage.delete(keyOf('paper', userId, journal))
}

export function findProgress(
  storage: Storage,
  userId: number,
  journal: Journal,
): Promise<JournalProgress | undefined> {
  return storage.get(keyOf('exam', userId, journal)) as Promise<JournalProgress | undefined>
}

/** The stored journals of an account, or of one exam, the oldest first; `questions` is empty where they are missing. */
export async function listJournals(storage: Storage, userId: number, examId?: number): Promise<Journal[]> {
  const prefix = `${KEPT}${userId}/exam/${examId === undefined ? '' : `${examId}/`}`
  const kept = (await storage.list(prefix)).map(([, value]) => value as JournalProgress)
  const papers = await Promise.all(kept.map((each) => storage.get(keyOf('paper', userId, each))))
  const journals = kept.map((each, at) => ({ ...each, questions: (papers[at] ?? []) as PaperQuestion[] }))
  return journals.sort((one, other) => one.attemptId - other.attemptId)
}

export function toProgress({ questions: _, ...progress }: Journal): JournalProgress {
  return progress
}
