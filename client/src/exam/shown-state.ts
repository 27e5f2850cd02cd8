import {
  type Answer,
  canWrite,
  type Journal,
  type PaperQuestion,
  type State,
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
  /** Answers that the service has refused, and why, by question id. */
  rejected: Readonly<Record<string, string>>
  /** Milliseconds of the service's clock; null: no end. */
  endsAt: number | null
  result: SubmitResult | undefined
}

export function showState(state: State): ExamState {
  const { phase, attemptId, questions, answers, marked, unsynced, rejected, endsAt, result } = state.journal
  return {
    phase: phase === 'active' && state.isOver ? 'over' : phase,
    canWrite: canWrite(state),
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
