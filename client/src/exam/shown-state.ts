import {
  type Answer,
  canWrite,
  hasWork,
  type Journal,
  type JournalState,
  type PaperQuestion,
  type SubmitResult,
} from './journal.ts'

export interface ExamState {
  /**
   * `over`: the time is up, and the service is about to close the attempt. `closed`: it has ended, and was not handed
   * in on this machine; it is graded from the answers that the service had.
   */
  phase: Journal['phase'] | 'over'
  /** False in a second tab, until `takeOver` there. */
  canWrite: boolean
  attemptId: number
  questions: readonly PaperQuestion[]
  /** By question id. */
  answers: Readonly<Record<string, Answer>>
  marked: readonly number[]
  /** The number of answers that only this machine has. In phase `closed` they did not arrive in time. */
  unsynced: number
  /** Whether this machine has what the service doesn't: answers, marks, or the wish to hand in. */
  hasWork: boolean
  /**
   * Why the latest request failed, until one doesn't: `unreachable`, a code of the service, or an error of the platform
   * or of this program. It is tried again all the same.
   */
  fault: string | undefined
  /** Answers that the service has refused, and why, by question id. */
  rejected: Readonly<Record<string, string>>
  /** Milliseconds of the service's clock; null: no end. */
  endsAt: number | null
  result: SubmitResult | undefined
}

export function showState(state: JournalState): ExamState {
  const { phase, attemptId, questions, answers, marked, unsynced, rejected, endsAt, result } = state.journal
  return {
    phase: phase === 'active' && state.isOver ? 'over' : phase,
    canWrite: canWrite(state),
    attemptId,
    questions,
    answers,
    marked,
    unsynced: Object.keys(unsynced).length,
    hasWork: hasWork(state.journal),
    fault: state.fault,
    rejected,
    endsAt: endsAt === null ? null : Date.parse(endsAt),
    result,
  }
}
