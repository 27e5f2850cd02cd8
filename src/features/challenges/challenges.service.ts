import type {
  AdminChallenge,
  AdminChallengesQuery,
  Challenge,
  NewChallenge,
  ResolveBody,
} from '../../../schemas/challenges.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { getPaper } from '../attempts/papers.service.ts'
import { requireOwn, requireVisible } from '../attempts/result-visibility.service.ts'
import { givenBy } from '../attempts/sitting.ts'
import { record } from '../audit/audit.service.ts'
import { causeNotices } from '../notices/notices.service.ts'
import * as store from './challenges.store.ts'

/** Challenges on a page of the administrators' list. */
export const CHALLENGES_PER_PAGE = 50
/** Open challenges of one person (docs/protocol/http.md#caps). */
const MOST_OPEN = 100

/**
 * Objects to how a question of one's own visible result was graded. 404 for another's attempt, and for a question
 * that is not in its paper.
 */
export async function challenge(
  core: Core,
  userId: number,
  attemptId: number,
  { question_id: questionId, message }: NewChallenge,
): Promise<Challenge> {
  const { attempt, paper } = await requireVisible(core, userId, attemptId)
  if (!paper.find(questionId) || !givenBy(attempt)(questionId)) throw new AppError('not_found')
  const row = await core.db.transaction(async (tx) => {
    await lockPerson(tx, userId)
    if ((await store.countOpen(tx, userId)) >= MOST_OPEN)
      throw new AppError('too_many', { message: `At most ${MOST_OPEN} open challenges` })
    const createdAt = new Date(core.clock())
    return store.insertChallenge(tx, { attemptId, questionId, message, createdAt })
  })
  return toChallenge(row)
}

/** The challenges of one's own attempt, oldest first. 404 for another's. */
export async function listOwnChallenges(core: Core, userId: number, attemptId: number): Promise<Challenge[]> {
  await requireOwn(core, userId, attemptId)
  return (await store.listOfAttempt(core.db, attemptId)).map(toChallenge)
}

/** One page, newest first, and how many there are; of a teacher, those at their own exams. */
export async function listChallenges(
  core: Core,
  { status, exam_id, page }: AdminChallengesQuery,
  teacherId?: number,
) {
  const filter = { status, examId: exam_id, teacherId }
  const offset = offsetOf(page, CHALLENGES_PER_PAGE)
  const { rows, total } = await store.listChallenges(core.db, filter, CHALLENGES_PER_PAGE, offset)
  const challenges: AdminChallenge[] = []
  for (const row of rows) {
    const isDrawn = row.questionText.includes('{@')
    // A text with places for values is shown as its attempt had it.
    const paper = isDrawn ? await getPaper(core, core.db, row.paperId) : undefined
    challenges.push({
      ...toChallenge(row),
      username: row.username,
      question_text:
        paper?.single(row.questionId, row.seed ?? '').find(row.questionId)?.question_text ?? row.questionText,
    })
  }
  return { challenges, total }
}

/** Resolves a challenge and tells the student on every device. */
export async function resolveChallenge(
  core: Core,
  actor: Actor,
  id: number,
  { status, reply }: ResolveBody,
): Promise<Challenge> {
  const row = await core.db.transaction(async (tx) => {
    const resolution = { status, reply: reply || null, resolvedAt: new Date(core.clock()) }
    const isNew = await store.updateResolved(tx, id, resolution)
    const resolved = await store.findChallenge(tx, id)
    if (!resolved) throw new AppError('not_found')
    if (!isNew) throw new AppError('already_processed')
    await record(tx, actor, {
      action: 'challenge.resolve',
      subject: ['challenge', id],
      summary: `${status === 'accepted' ? 'Accepted' : 'Rejected'}: question ${resolved.questionId} of attempt ${resolved.attemptId}`,
    })
    await causeNotices(core, tx, {
      kind: 'challenge_answered',
      challengeId: id,
      examId: resolved.examId,
      userIds: [resolved.userId],
      actorId: actor.id,
    })
    return resolved
  })
  const resolved = toChallenge(row)
  core.bus.publish(`user:${row.userId}`, {
    kind: 'frame',
    frame: { type: 'challenge_resolved', challenge: resolved },
  })
  return resolved
}

function toChallenge(row: store.ChallengeRow): Challenge {
  return {
    id: row.id,
    attempt_id: row.attemptId,
    exam_id: row.examId,
    question_id: row.questionId,
    message: row.message,
    status: row.status,
    reply: row.reply,
    created_at: row.createdAt.toISOString(),
    resolved_at: row.resolvedAt?.toISOString() ?? null,
  }
}
