import { randomInt } from 'node:crypto'
import type {
  OfferedQuestion,
  QuestionFields,
  QuestionVariant,
  TriedDraw,
} from '../../../schemas/questions.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { breaks } from '../../scheduling/breaks.ts'
import { listDraws, tryQuestion } from './draw-trials.ts'
import { concreteOf, type Drawable, draw, showValues } from './kinds/concrete.ts'
import { kindOf } from './kinds/kinds.ts'
import { checkQuestion } from './question-checks.ts'
import { toFields } from './question-mapping.ts'
import { accept, keptOf, withKeysInForce } from './questions.service.ts'
import * as store from './questions.store.ts'

/** Seeds of previews whose asker names none. */
const MOST_SEEDS = 2 ** 31

/** A question that may not be stored yet, as somebody would get it; 400 for what couldn't be saved. */
export async function previewQuestion(
  offered: OfferedQuestion,
  seed = randomInt(MOST_SEEDS),
): Promise<QuestionVariant> {
  const question = accept(checkQuestion(offered, { anyImagePath: true }))
  const kept = keptOf(await tryQuestion(question))
  return toVariant(question, 0, kept, String(seed))
}

/** Draws of a question as they come, and why those fail that nobody would get; 400 for what is wrong with it before any. */
export async function tryQuestionDraws(
  offered: OfferedQuestion,
  { seed = randomInt(MOST_SEEDS), count }: { seed?: number | undefined; count: number },
): Promise<TriedDraw[]> {
  const question = accept(checkQuestion(offered, { anyImagePath: true }))
  const tried = await listDraws(question, count, String(seed))
  return tried.map(({ values, key, failure }) => ({
    values,
    correct_answer: key,
    failure: failure ? { path: failure.path ?? `/${failure.field}`, message: failure.error } : null,
  }))
}

/** The draws of the seeds from 1 to `count`. */
export async function listVariants(core: Core, id: number, count: number): Promise<QuestionVariant[]> {
  const row = await store.findQuestion(core.db, id)
  if (!row) throw new AppError('not_found')
  const [shown = row] = await withKeysInForce(core.db, [row])
  const takeBreak = breaks()
  const variants: QuestionVariant[] = []
  for (let seed = 1; seed <= count; seed++) {
    await takeBreak()
    variants.push(toVariant(toFields(shown), id, row.keptDraw, String(seed)))
  }
  return variants
}

function toVariant(
  fields: QuestionFields,
  id: number,
  kept: store.QuestionRow['keptDraw'],
  seed: string,
): QuestionVariant {
  const { variables, conditions } = fields
  const written: Drawable = {
    ...fields,
    id,
    tolerance: String(fields.tolerance),
    ...(kept ? { draws: { variables, conditions, kept } } : {}),
  }
  const filling = draw(written, seed)
  const task = filling ? concreteOf(written, filling) : written
  const right = kindOf(task.question_type).rightAnswer(task)
  return {
    values: filling ? showValues(filling.values) : {},
    question: {
      question_text: task.question_text,
      option_a: task.option_a,
      option_b: task.option_b,
      option_c: task.option_c,
      option_d: task.option_d,
      more_options: [...task.more_options],
      question_type: task.question_type,
      parts: kindOf(task.question_type).show(task, seed),
      correct_answer: task.correct_answer,
      correct: right && kindOf(task.question_type).showAnswer(task, right, seed),
      tolerance: Number(task.tolerance),
      explanation: filling ? filling.text(fields.explanation) : fields.explanation,
    },
  }
}
