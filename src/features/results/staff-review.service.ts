import type { Content } from '../../../schemas/common.ts'
import type {
  AdminReviewAnswer,
  StaffReviewAnswer,
  StaffReviewedQuestion,
} from '../../../schemas/exam-results.schemas.ts'
import type { Keys } from '../../../schemas/items.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { localDateTime } from '../../formats/local-time.ts'
import { listTold } from '../attempts/attempts.service.ts'
import { closeOverdueOf } from '../attempts/closing.service.ts'
import { paperOf } from '../attempts/papers.service.ts'
import { OPEN_KEYS, readScore, submittedBy } from '../attempts/result-visibility.service.ts'
import { reaches } from '../attempts/scoring.ts'
import { placesOf } from '../attempts/sitting.ts'
import { reviewAttempt } from './results.service.ts'
import * as store from './results.store.ts'

/**
 * Anybody's attempt as its review shows it, before its release too; while it is under way, how much is answered. Marks
 * and everything else that reveals keys are left out unless `readKeys` shows them. 404 without such an attempt.
 */
export async function reviewForStaff(
  core: Core,
  attemptId: number,
  readKeys: (examId: number) => Keys | Promise<Keys>,
): Promise<Content<StaffReviewAnswer>> {
  const ownerId = await store.findOwner(core.db, attemptId)
  if (ownerId === undefined) throw new AppError('not_found')
  await closeOverdueOf(core, ownerId)
  const found = await store.findForStaff(core.db, attemptId)
  if (!found) throw new AppError('not_found')
  const { attempt, exam } = found
  const paper = await paperOf(core, core.db, attempt)
  const keys = await readKeys(exam.id)
  const result = (keys.shows_keys ? readScore(attempt) : undefined) ?? null
  const review =
    attempt.submittedAt === null ? null : await reviewAttempt(core, attempt, paper, found.inForce)
  return {
    attempt_id: attempt.id,
    exam_id: exam.id,
    exam_name: exam.name,
    attempt_number: attempt.attemptNumber,
    user_id: attempt.userId,
    username: found.username,
    full_name: found.fullName,
    start_time: localDateTime(attempt.startedAt, core.config.timezone),
    started_at: attempt.startedAt.toISOString(),
    submitted_at: attempt.submittedAt?.toISOString() ?? null,
    ends_at: attempt.endsAt?.toISOString() ?? null,
    status: attempt.status === 'submitted' || attempt.status === 'expired' ? attempt.status : 'active',
    submitted_by: attempt.submittedAt === null ? null : submittedBy(attempt),
    result_mode: exam.resultMode,
    score: result?.score ?? null,
    max_score: result?.max_score ?? null,
    percentage: result?.percentage ?? null,
    passed: result?.percentage == null ? null : reaches(attempt.percentage ?? 0, exam.passPercentage),
    answered: Object.values(attempt.answers).filter((answer) => answer !== null).length,
    question_count: placesOf(paper, attempt).length,
    ...keys,
    result,
    review: review && (keys.shows_keys ? review : review.map(withoutKey)),
  }
}

/** The same, with all keys, and with what its student was told during it. */
export async function reviewForAdmins(core: Core, attemptId: number): Promise<Content<AdminReviewAnswer>> {
  const review = await reviewForStaff(core, attemptId, () => OPEN_KEYS)
  const messages = await listTold(core, attemptId)
  return { ...review, messages: messages.map(({ text, at, author }) => ({ text, at, author_name: author })) }
}

function withoutKey(question: StaffReviewedQuestion): StaffReviewedQuestion {
  return {
    ...question,
    correct_answer: null,
    correct: null,
    explanation: null,
    tolerance: null,
    is_correct: null,
    marks_awarded: null,
  }
}
