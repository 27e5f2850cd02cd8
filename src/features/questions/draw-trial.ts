import {
  areFulfilled,
  drawValues,
  evaluate,
  isExcluded,
  readRatio,
  toDecimal,
  type Values,
  writeRatio,
} from '@exam-practice/expressions'
import type { QuestionFields } from '../../../schemas/questions.schemas.ts'
import { isLonger } from '../../formats/code-points.ts'
import {
  concreteOf,
  type Drawable,
  distinctTexts,
  fillingOf,
  randomOf,
  readVariables,
  showValues,
  templateOf,
} from './kinds/concrete.ts'
import type { ExactNumber } from './kinds/kind.ts'
import { kindOf } from './kinds/kinds.ts'
import { LONGEST_EXPLANATION, LONGEST_TEXT, type QuestionFieldError } from './question-checks.ts'

const DRAWS = 500
/** Of the draws, in percent. */
const LEAST_PASSING = 20
const WIDEST_TOLERANCE = 1e15

/** A draw that fulfils everything, or the first thing that is wrong with one. */
export type DrawTrial = { kept: Record<string, string> } | { errors: QuestionFieldError[] }

/** One of the draws that were tried. */
export interface TriedDraw {
  values: Record<string, string>
  /** The key as its teacher reads it; '' where the draw fails. */
  key: string
  /** Why it isn't one that anybody gets; undefined where it is. */
  failure: QuestionFieldError | undefined
}

/** Tries draws of a question that was checked. It takes long: `draw-trials.ts` runs it in a thread. */
export function tryDraws(question: QuestionFields): DrawTrial {
  const draws = readVariables(question.variables, question.conditions)
  let kept: Values | undefined
  let passed = 0
  for (let index = 0; index < DRAWS; index++) {
    const { values, failure, isWrong } = tryDraw(question, draws, `trial ${index}`)
    if (isWrong && failure)
      return { errors: [{ ...failure, error: `${failure.error} with ${describe(values)}` }] }
    if (failure) continue
    kept ??= values
    passed += 1
  }
  if (!kept || passed * 100 < DRAWS * LEAST_PASSING) {
    const field = question.conditions.length > 0 ? 'conditions' : 'variables'
    return {
      errors: [
        { field, error: `let only ${passed} of ${DRAWS} draws pass, fewer than ${LEAST_PASSING} percent` },
      ],
    }
  }
  return { kept: Object.fromEntries([...kept].map(([name, value]) => [name, writeRatio(value)])) }
}

/** Draws as a teacher sees them, what fails too. */
export function listTried(question: QuestionFields, count: number, seed: string): TriedDraw[] {
  const draws = readVariables(question.variables, question.conditions)
  return Array.from({ length: count }, (_, index) => {
    const { values, failure } = tryDraw(question, draws, `${seed} ${index}`)
    return { values: showValues(values), key: failure ? '' : keyWith(question, values), failure }
  })
}

function keyWith(question: QuestionFields, values: Values): string {
  const task = concreteOf(
    { ...question, id: 0, tolerance: String(question.tolerance) } as Drawable,
    fillingOf(values),
  )
  const right = kindOf(question.question_type).rightAnswer(task)
  return task.correct_answer || [right ?? ''].flat().join(', ')
}

function tryDraw(
  question: QuestionFields,
  draws: ReturnType<typeof readVariables>,
  seed: string,
): { values: Values; failure?: QuestionFieldError; isWrong: boolean } {
  const { values, endless } = drawValues(draws, randomOf(seed))
  const excluded = { field: 'conditions', error: 'aren’t fulfilled' } as const
  if (isExcluded(draws, values)) return { values, failure: excluded, isWrong: false }
  if (endless !== undefined) {
    const path = `/variables/${endless}/is`
    return { values, failure: { field: 'variables', path, error: 'has no finite value' }, isWrong: true }
  }
  if (!areFulfilled(draws, values)) return { values, failure: excluded, isWrong: false }
  const failure = checkDrawn(question, values)
  return failure ? { values, failure, isWrong: true } : { values, isWrong: false }
}

const TEXTS = [
  'question_text',
  'option_a',
  'option_b',
  'option_c',
  'option_d',
  'more_options',
  'parts',
] as const

/** What is wrong with a question that has these values. */
function checkDrawn(question: QuestionFields, values: Values): QuestionFieldError | undefined {
  const filling = fillingOf(values)
  const endless = [...TEXTS, 'correct_answer', 'tolerance', 'explanation'] as const
  for (const field of endless)
    if (listTexts(question[field]).some((text) => !hasValues(text, values)))
      return { field, error: 'has no finite value' }
  const task: Drawable = { ...question, id: 0, tolerance: String(question.tolerance) }
  const { exact, ...concrete } = concreteOf(task, filling)
  for (const field of TEXTS)
    if (listTexts(concrete[field]).some((text) => isLonger(text, LONGEST_TEXT)))
      return { field, error: `is longer than ${LONGEST_TEXT} characters` }
  if (isLonger(filling.text(question.explanation), LONGEST_EXPLANATION))
    return { field: 'explanation', error: `is longer than ${LONGEST_EXPLANATION} characters` }
  const distinct = distinctTexts(concrete)
  const twice = distinct.find((text, index) => distinct.indexOf(text) !== index)
  const written = distinctTexts(task)
  if (
    twice !== undefined &&
    written.some((text) => text.includes('{@')) &&
    new Set(distinct).size < new Set(written).size
  )
    return { field: fieldOf(concrete, twice), error: `comes out twice as '${twice.slice(0, 100)}'` }
  for (const each of [...(exact ? [exact] : []), ...exactGaps(concrete.parts)]) {
    const { key, tolerance } = each as { key?: ExactNumber; tolerance?: ExactNumber }
    const error = checkNumbers(key, tolerance)
    if (error !== undefined) return { field: exact ? 'tolerance' : 'parts', error }
  }
  const key = kindOf(question.question_type).readKey({ ...concrete, parts: withoutExact(concrete.parts) })
  return 'error' in key ? { field: key.field, error: key.error } : undefined
}

function checkNumbers(key: ExactNumber | undefined, tolerance: ExactNumber | undefined): string | undefined {
  const allowed =
    typeof tolerance === 'object'
      ? Number(tolerance.s * tolerance.n) / Number(tolerance.d)
      : Number(tolerance)
  if (!(allowed >= 0 && allowed <= WIDEST_TOLERANCE)) return `is not a number from 0 to ${WIDEST_TOLERANCE}`
  const isDecimal = typeof key !== 'object' || toDecimal(readRatio(`${key.s * key.n}/${key.d}`)) !== undefined
  return isDecimal || allowed > 0 ? undefined : 'must be above 0, since the key is no finite decimal'
}

const exactGaps = (parts: unknown) =>
  ((parts as { gaps?: { exact?: object }[] } | null)?.gaps ?? []).flatMap(({ exact }) => exact ?? [])

function withoutExact(parts: unknown): unknown {
  const gaps = (parts as { gaps?: { exact?: object }[] } | null)?.gaps
  return gaps ? { gaps: gaps.map(({ exact: _, ...gap }) => gap) } : parts
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

function hasValues(text: string, values: Values): boolean {
  return (
    !text.includes('{@') ||
    templateOf(text).pieces.every(
      (piece) => typeof piece === 'string' || evaluate(piece.tree, values) !== undefined,
    )
  )
}

function fieldOf(question: Omit<Drawable, 'exact'>, text: string): keyof QuestionFields {
  const fields = ['option_d', 'option_c', 'option_b', 'option_a'] as const
  if (question.parts) return 'parts'
  return question.more_options.includes(text)
    ? 'more_options'
    : (fields.find((field) => question[field] === text) ?? 'option_a')
}

function describe(values: Values): string {
  return Object.entries(showValues(values))
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')
}
