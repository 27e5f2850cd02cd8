/** What the benchmark of an exam's morning and its students' processes tell one another. */

/** How often a student's client saves. */
export const SAVE_MS = 30_000
export const QUESTIONS = 65
/** Questions up to these are MCQ and MSQ; the others are NUMERIC. */
export const MIXTURE = [40, 50] as const

/** Students `first` and after at an exam, who all begin within some time. */
export interface Morning {
  first: number
  students: number
  examId: number
  startWithinMs: number
  nodes: string[]
}

/** A connection that broke, such as a killed node's. */
export const UNANSWERED = 'no answer'

export type Orders = { nodes?: string[]; isOver?: boolean }

export type Waited = 'start' | 'paper' | 'image' | 'save'

export interface Told {
  /** Milliseconds from when a student wanted it. */
  waited: Record<Waited, number[]>
  /** What was sent again, by request and status. */
  refusals: Record<string, number>
  /** How many saves of each student were acknowledged. */
  acknowledged: number[]
  /** Acknowledged saves in each second since the epoch. */
  perSecond: Record<number, number>
  /** Sockets that broke. */
  broken: number
}

type Saved = Record<string, string | string[]>

/** What a student saves the n-th time: two answers, so that what an attempt holds afterwards can be told. */
export function savedAnswers(examId: number, userId: number, turn: number): Saved {
  const answer = (offset: number, choice: number): Saved => {
    const place = 1 + ((userId * 11 + turn * 2 + offset) % QUESTIONS)
    const letter = 'ABCD'.charAt(choice % 4)
    const [mostMcq, mostMsq] = MIXTURE
    const given = place <= mostMcq ? letter : place <= mostMsq ? [letter] : `${choice}.5`
    return { [(examId - 1) * QUESTIONS + place]: given }
  }
  return { ...answer(0, userId + turn), ...answer(1, userId + turn * 3) }
}
