import { randomUUID } from 'node:crypto'
import type { Content } from '../../../schemas/common.ts'
import type { Trial, TrialAnswer, TrialBody, TrialResult } from '../../../schemas/exam-results.schemas.ts'
import type { Core } from '../../core.ts'
import { requireExam } from '../../db/exam-rows.ts'
import { AppError, invalidField } from '../../errors.ts'
import { mergeAnswers, readChanges } from '../attempts/fitting-answers.ts'
import { listInForce } from '../attempts/grading-lock.service.ts'
import {
  currentPaperOf,
  drawnPaper,
  findPaper,
  NONE_CORRECTED,
  withQuestions,
  writeQuestions,
} from '../attempts/papers.service.ts'
import { toScore } from '../attempts/result-visibility.service.ts'
import { drawer } from '../exams/drawing.ts'
import { requireExamSize } from '../questions/questions.service.ts'
import { reviewAttempt } from './results.service.ts'
import * as store from './results.store.ts'

/**
 * An exam as a student would get it now, published or not: the answer as a JSON text. No attempt and no answer is
 * stored, so a trial is in no figure: what an attempt keeps beside its paper comes back with the answers. 404, 409
 * `exam_empty`, `too_many`.
 */
export async function writeTrial(core: Core, examId: number): Promise<string> {
  const exam = await store.findExam(core.db, examId)
  if (!exam) throw new AppError('not_found')
  await requireExamSize(core.db, [examId])
  const current = await currentPaperOf(core, core.db, examId)
  const drawn = exam.draw && drawer(exam.draw, current.tasks)()
  if ((drawn ?? current.tasks).length === 0) throw new AppError('exam_empty')
  const trial: Trial = {
    paper_id: current.id,
    seed: randomUUID(),
    shuffle: exam.shuffle === 'none' ? null : exam.shuffle,
    drawn,
  }
  const { name, durationMinutes: duration_minutes } = exam
  const about: Omit<TrialAnswer, 'questions'> = {
    success: true,
    is_trial: true,
    trial,
    exam: { id: examId, name, duration_minutes },
  }
  return withQuestions(
    writeQuestions(core, drawnPaper(core, current, trial.seed), trial, NONE_CORRECTED),
    about,
  )
}

/** How these answers would come out, by the corrections in force. 404; 400 for a paper of another exam. */
export async function judgeTrial(
  core: Core,
  examId: number,
  { trial: { paper_id, ...sitting }, answers: given }: TrialBody,
): Promise<Content<TrialResult>> {
  await requireExam(core.db, examId)
  const found = await findPaper(core, core.db, paper_id)
  if (found?.questions[0]?.exam_id !== examId)
    throw invalidField('/trial/paper_id', 'is no paper of this exam')
  const paper = drawnPaper(core, found, sitting.seed)
  const drawn = new Set(sitting.drawn)
  if (drawn.size < (sitting.drawn?.length ?? 0) || [...drawn].some((id) => !paper.find(id)))
    throw invalidField('/trial/drawn', 'names questions of the paper, each once')
  const { changes, rejected } = readChanges(paper, sitting, given ? { answers: given } : {})
  const answers = mergeAnswers({}, changes.answers)
  const inForce = await listInForce(core.db, examId)
  return {
    is_trial: true,
    rejected,
    result: toScore(paper.gradedBy(inForce).key.grade(answers, sitting.drawn)),
    review: await reviewAttempt(core, { ...sitting, answers }, paper, inForce),
  }
}
