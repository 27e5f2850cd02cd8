import type { NextCard } from '@exam-practice/client/practice'

/** A card that was answered in a round. */
export interface AnsweredCard {
  /** The review's. */
  id: string
  card: NextCard
}
