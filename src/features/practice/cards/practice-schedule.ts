import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import {
  type Card,
  computeDecayFactor,
  createEmptyCard,
  default_w,
  type FSRS,
  FSRSVersion,
  forgetting_curve,
  fsrs,
  type Grade,
  State,
} from 'ts-fsrs'
import { DAY_MS, fromLocal, toLocal } from '../../../formats/local-time.ts'
import type { LoggedReview } from '../reviews/reviews.store.ts'
import type { Memory } from './decks.store.ts'

/** What schedules: reviews keep it beside their rating. */
export const SCHEDULER = FSRSVersion

/** A person's retention from an instant on. */
export interface RetentionSince {
  since: number
  retention: number
}

/** What decides about cards besides their reviews. */
export interface Scheduling {
  /** Oldest first. */
  settings: readonly RetentionSince[]
  /** Whose days count. */
  timezone: string
}

/** The numbers of the forgetting curve, for statements that compare many cards. */
export const FORGETTING = computeDecayFactor(default_w)

export const DEFAULT_RETENTION = 0.9

export const NEW_CARD: Memory = {
  state: 'new',
  due: null,
  lastReview: null,
  stability: 0,
  difficulty: 0,
  learningSteps: 0,
  reps: 0,
  lapses: 0,
  introducedAt: null,
  timezone: null,
  firstAt: null,
  isFirstRight: null,
  lastAt: null,
  lastOutcome: null,
  lastShare: null,
  isLastShown: null,
}

const STATES: Record<Memory['state'], State> = {
  new: State.New,
  learning: State.Learning,
  review: State.Review,
  relearning: State.Relearning,
}
const NAMES = Object.fromEntries(Object.entries(STATES).map(([name, state]) => [state, name])) as Record<
  State,
  Memory['state']
>

/** One for each retention that somebody has set. */
const schedulers = new LRUCache<number, FSRS>({ max: 100 })

function schedulerOf(retention: number): FSRS {
  const known = schedulers.get(retention)
  if (known) return known
  const made = fsrs({ request_retention: retention, enable_fuzz: false })
  schedulers.set(retention, made)
  return made
}

/** How likely the answer is known at an instant, fractions of days counted; null for a new card. */
export function retrievability(
  { lastReview, stability }: Pick<Memory, 'lastReview' | 'stability'>,
  at: number,
): number | null {
  if (lastReview === null) return null
  return forgetting_curve(default_w, Math.max(0, at - lastReview) / DAY_MS, stability)
}

/**
 * Whether a card is what the scheduler makes of its reviews now: those of version 1.0 were given days of UTC, and follow
 * at their next review.
 */
export function isUpToDate({ reps, lastReview, lastAt, timezone }: Memory, now: Scheduling): boolean {
  return reps === 0 || (lastAt === lastReview && timezone === now.timezone)
}

/** The card after a review that comes after all that it has had. */
export function advance(card: Memory, review: LoggedReview, { settings, timezone }: Scheduling): Memory {
  const { answeredAt, isExam, outcome, share, rating } = review
  const isFirst = card.reps === 0
  if (isExam && !isFirst) return card
  const scheduler = schedulerOf(retentionAt(settings, answeredAt))
  // The days of ts-fsrs are those of UTC: it is given what clocks show, as if they were there.
  const at = new Date(answeredAt)
  const shown = toLocal(at, timezone)
  const { card: next } = scheduler.next(toScheduled(card, shown, timezone), shown, rating as Grade)
  return {
    state: NAMES[next.state],
    due: fromLocal(next.due, timezone, at).getTime(),
    lastReview: answeredAt,
    stability: next.stability,
    difficulty: next.difficulty,
    learningSteps: next.learning_steps,
    reps: next.reps,
    lapses: next.lapses,
    introducedAt: isFirst && !isExam ? answeredAt : card.introducedAt,
    timezone,
    firstAt: isFirst ? answeredAt : card.firstAt,
    isFirstRight: isFirst ? outcome === 'right' : card.isFirstRight,
    lastAt: answeredAt,
    lastOutcome: outcome,
    lastShare: share,
    isLastShown: !isExam,
  }
}

/** Reviews that are replayed before others get their turn: some milliseconds. */
const AT_ONCE = 500

/** To be called for each review that is replayed: a promise where others get their turn before it. */
export function takeTurns(): () => Promise<void> | undefined {
  let replayed = 0
  return () => (++replayed % AT_ONCE === 0 ? setImmediate() : undefined)
}

/** The card that reviews in any order make, and what was expected before each, by its `clientId`. */
export async function replay(
  reviews: readonly LoggedReview[],
  scheduling: Scheduling,
  turn: ReturnType<typeof takeTurns>,
): Promise<{ card: Memory; expected: Map<string, number | null> }> {
  let card = NEW_CARD
  const expected = new Map<string, number | null>()
  for (const review of reviews.toSorted(byTime)) {
    await turn()
    expected.set(review.clientId, retrievability(card, review.answeredAt))
    card = advance(card, review, scheduling)
  }
  return { card, expected }
}

/** The order in which reviews count. */
export function byTime(one: LoggedReview, other: LoggedReview): number {
  return one.answeredAt - other.answeredAt || (one.clientId < other.clientId ? -1 : 1)
}

function retentionAt(settings: readonly RetentionSince[], instant: number): number {
  return settings.findLast(({ since }) => since <= instant)?.retention ?? DEFAULT_RETENTION
}

function toScheduled(card: Memory, shown: Date, timezone: string): Card {
  const { due, lastReview, stability, difficulty, learningSteps, reps, lapses, state } = card
  if (due === null || lastReview === null) return createEmptyCard(shown)
  return {
    due: toLocal(new Date(due), timezone),
    stability,
    difficulty,
    // Both are worked out anew from `last_review`.
    elapsed_days: 0,
    scheduled_days: 0,
    learning_steps: learningSteps,
    reps,
    lapses,
    state: STATES[state],
    last_review: toLocal(new Date(lastReview), timezone),
  }
}
