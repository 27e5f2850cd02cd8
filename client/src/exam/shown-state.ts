import type { Answer, Journal, PaperQuestion, SubmitResult } from './journal.ts'

export interface ExamState {
  /** `closed`: ended, and not handed in on this machine; graded from the answers that the service had. */
  phase: Journal['phase']
  /** False in a second tab, until `takeOver` there. */
  canWrite: boolean
  attemptId: number
  questions: readonly PaperQuestion[]
  /** By question id. */
  answers: Readonly<Record<string, Answer>>
  marked: readonly number[]
  /** The number of answers that only this machine has. In phase `closed` they did not arrive in time. */
  unsynced: number
  /** Answers that the service has refused, and why, by question id. */
  rejected: Readonly<Record<string, string>>
  /** Milliseconds of the service's clock; null: no end. */
  endsAt: number | null
  result: SubmitResult | undefined
}

export function showState(journal: Journal, canWrite: boolean): ExamState {
  const { phase, attemptId, questions, answers, marked, unsynced, rejected, endsAt, result } = journal
  return {
    phase,
    canWrite: canWrite && phase === 'active',
    attemptId,
    questions,
    answers,
    marked,
    unsynced: Object.keys(unsynced).length,
    rejected,
    endsAt: endsAt === null ? null : Date.parse(endsAt),
    result,
  }
}
