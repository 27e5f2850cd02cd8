import type { PracticeCard, Review, ReviewResult } from '../../../../schemas/practice.schemas.ts'
import type { Core } from '../../../core.ts'
import { batched, type HELD } from '../../../db/batches.ts'
import type { Executor } from '../../../db/database-client.ts'
import { lockPerson, tryLockPeople } from '../../../db/locks.ts'
import { AppError } from '../../../errors.ts'
import { DAY_MS, instantOf } from '../../../formats/local-time.ts'
import { perNode } from '../../../per-node.ts'
import { requireHelp } from '../../help-lock/help-lock.service.ts'
import { cardDescriber, toReviewed } from '../cards/card-views.ts'
import { lookAgain } from '../cards/decks.service.ts'
import { countCards, putCards } from '../cards/decks.store.ts'
import { publishCounts } from '../practice.service.ts'
import {
  type DatedReview,
  type Facts,
  findFacts,
  findRegrades,
  isPlain,
  judgeAll,
  type ReviewBatch,
} from './judging.service.ts'
import { type Learner, listLearners, lockLearner } from './learners.store.ts'
import { type JudgedLearner, record } from './recording.service.ts'
import { replayCards } from './replaying.service.ts'
import { describeResults, type ReviewBatchResult } from './review-results.service.ts'
import * as store from './reviews.store.ts'

/** How long phones may keep a review. */
const LATEST_MS = 30 * DAY_MS
/** Most reviews of a request that shares a transaction with others. */
const FEW = 10
/** Most requests of one person that may wait on a node. */
const MOST_OF_ONE = 32

/** These reviews need more than others should wait for: they get a transaction of their own. */
const ALONE = Symbol('alone')

/** The outcome of reviews that share a transaction. An error refuses them alone. */
type ReviewBatchOutcome = ReviewBatchResult | AppError | typeof ALONE | typeof HELD

/**
 * Reviews that wait for the database at the same time share one transaction, with one request of each person. There is
 * one at a time: its statements take a node longer than what is in them.
 */
const reviewShared = perNode((core) =>
  batched({
    lanes: 1,
    size: 64,
    key: ({ userId }: ReviewBatch) => userId,
    turns: { owner: ({ userId }) => userId, most: MOST_OF_ONE },
    run: (arrivals) => reviewTogether(core, arrivals),
  }),
)

/**
 * Judges reviews and moves their cards on; each counts once by its `client_id`. A refused one costs the others nothing.
 * 409 `too_many`, 429 `daily_limit`: then none of them counts.
 */
export async function review(
  core: Core,
  userId: number,
  reviews: readonly Review[],
): Promise<ReviewResult[]> {
  const now = core.clock()
  const given = reviews.map((each) => ({
    ...each,
    clientId: each.client_id.toLowerCase(),
    ...readTime(each, now),
  }))
  const arrival = { userId, given }
  const outcome = given.length > FEW ? ALONE : await reviewShared(core)(arrival)
  if (outcome instanceof AppError) throw outcome
  const settled = outcome === ALONE ? await reviewAlone(core, arrival) : outcome
  if (settled.added.length > 0) publishCounts(core, userId)
  return describeResults(core, settled)
}

/** By the service's clock where the device doesn't insist on its own: that may have been set. */
function readTime({ answered_at }: Review, now: number): Pick<DatedReview, 'answeredAt' | 'isLast'> {
  if (answered_at === undefined) return { answeredAt: now, isLast: true }
  const given = instantOf(answered_at).getTime()
  return { answeredAt: Math.min(now, Math.max(now - LATEST_MS, given)), isLast: false }
}

/** The outcomes in the order of the arrivals: `HELD` where somebody else has locked a person's row. */
async function reviewTogether(core: Core, arrivals: readonly ReviewBatch[]): Promise<ReviewBatchOutcome[]> {
  const userIds = arrivals.map(({ userId }) => userId)
  return core.db.transaction(async (tx) => {
    // Sent together; PostgreSQL runs them in this order, all but the first one once the rows are locked.
    const [stopped, learners, facts] = await Promise.all([
      tryLockPeople(tx, userIds),
      listLearners(tx, userIds),
      findFacts(tx, arrivals),
    ])
    const refused = new Map<number, Exclude<ReviewBatchOutcome, ReviewBatchResult>>(stopped)
    const admitted: LockedLearner[] = []
    for (const userId of userIds.filter((id) => !stopped.has(id))) {
      const [learner, known] = [learners.get(userId), facts.get(userId)]
      if (!learner || !known || learner.isLocked || !isPlain(core, known)) refused.set(userId, ALONE)
      else admitted.push({ learner, facts: known })
    }
    const settled = await judgeAndStore(core, tx, admitted)
    return userIds.map(
      (userId) => refused.get(userId) ?? (settled.get(userId) as ReviewBatchResult | AppError),
    )
  })
}

/** In a transaction of its own, after the person's cards were looked at again. */
async function reviewAlone(core: Core, arrival: ReviewBatch): Promise<ReviewBatchResult> {
  const { userId } = arrival
  await lookAgain(core, userId)
  return core.db.transaction(async (tx) => {
    const learner = await lockForReviews(core, tx, userId)
    const facts = (await findFacts(tx, [arrival])).get(userId) as Facts
    const settled = (await judgeAndStore(core, tx, [{ learner, facts }])).get(userId) as
      | ReviewBatchResult
      | AppError
    if (settled instanceof AppError) throw settled
    return settled
  })
}

/** Somebody whose row is locked. */
interface LockedLearner {
  learner: Learner
  facts: Facts
}

/** Judges and stores the reviews of different people. */
async function judgeAndStore(
  core: Core,
  tx: Executor,
  admitted: readonly LockedLearner[],
): Promise<Map<number, ReviewBatchResult | AppError>> {
  const opening = admitted.filter(({ facts }) => facts.open.size > 0)
  const [regrades, counts] = await Promise.all([
    findRegrades(
      tx,
      admitted.map(({ facts }) => facts),
    ),
    countCards(
      tx,
      opening.map(({ learner }) => learner.userId),
    ),
  ])
  const people: (Facts & JudgedLearner)[] = []
  for (const { learner, facts } of admitted) {
    const judged = await judgeAll(core, tx, learner, facts, regrades)
    people.push({ ...facts, ...judged, learner, cardCount: counts.get(learner.userId) ?? 0 })
  }
  const recorded = await record(
    core,
    tx,
    people.filter(({ judged }) => judged.length > 0),
  )
  return new Map(
    people.map(({ learner: { userId }, given, known, refused }) => {
      const added = recorded.get(userId) ?? []
      return [userId, added instanceof AppError ? added : { userId, given, known, added, refused }]
    }),
  )
}

/** Takes the newest review of its card back; again, it changes nothing. 404, 409 `not_newest`. */
export async function undo(core: Core, userId: number, givenId: string): Promise<PracticeCard> {
  const clientId = givenId.toLowerCase()
  await lookAgain(core, userId)
  const card = await core.db.transaction(async (tx) => {
    await lockForReviews(core, tx, userId)
    const [found] = await store.listReviews(tx, [{ userId, clientId }])
    const [before] = found ? await store.listCards(tx, [found]) : []
    if (!found || !before) throw new AppError('not_found')
    if (found.isUndone) return before
    if ((await store.findNewest(tx, userId, found.questionId)) !== clientId) throw new AppError('not_newest')
    await store.updateUndone(tx, userId, clientId, core.clock())
    const { cards } = await replayCards(core, tx, userId, [found.questionId])
    const after = { ...before, ...cards.get(found.questionId) }
    await putCards(tx, [after])
    return after
  })
  publishCounts(core, userId)
  const describe = await cardDescriber(core, [card])
  return describe(card, toReviewed(card, core.clock()))
}

/** Reviews of a person come one after another, and entirely before or after the start of an exam that locks help. */
async function lockForReviews(core: Core, tx: Executor, userId: number): Promise<Learner> {
  await lockPerson(tx, userId)
  if (await store.isLocked(tx, userId)) await requireHelp(core, userId)
  return lockLearner(tx, userId)
}
