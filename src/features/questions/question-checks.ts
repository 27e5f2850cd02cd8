import {
  DrawsError,
  ExpressionError,
  MOST_CONDITIONS,
  MOST_VARIABLES,
  namesIn,
} from '@exam-practice/expressions'
import { QUESTION_TYPES, type QuestionType } from '../../../schemas/common.ts'
import type { Variable } from '../../../schemas/parts.schemas.ts'
import type { OfferedQuestion, QuestionFields } from '../../../schemas/questions.schemas.ts'
import { isLonger } from '../../formats/code-points.ts'
import { isImageKey } from '../uploads/upload-keys.ts'
import { readVariables, templateOf } from './kinds/concrete.ts'
import { kindOf } from './kinds/kinds.ts'
import { MOST_MORE_OPTIONS } from './kinds/letters.ts'
import { isDecimal, isPlace } from './kinds/numbers.ts'
import { readTags } from './question-tags.ts'

/** Code points of a text or an option, and of an explanation (docs/protocol/http.md#input). */
export const LONGEST_TEXT = 20_000
export const LONGEST_EXPLANATION = 10_000
export const LONGEST_IMAGE_ALT = 500
const HIGHEST_MARKS = 10_000
const WIDEST_TOLERANCE = 1e15

const TYPES: readonly string[] = QUESTION_TYPES
const TEXTS = [
  { field: 'question_text', longest: LONGEST_TEXT },
  { field: 'option_a', longest: LONGEST_TEXT },
  { field: 'option_b', longest: LONGEST_TEXT },
  { field: 'option_c', longest: LONGEST_TEXT },
  { field: 'option_d', longest: LONGEST_TEXT },
  { field: 'explanation', longest: LONGEST_EXPLANATION },
  { field: 'image_alt', longest: LONGEST_IMAGE_ALT },
] as const
const NUMBERS = [
  { field: 'positive_marks', usual: 4, highest: HIGHEST_MARKS },
  { field: 'negative_marks', usual: 1, highest: HIGHEST_MARKS },
  { field: 'tolerance', usual: 0, highest: WIDEST_TOLERANCE },
] as const
/** What a key is read from, beside the options from E on. */
const KEY_TEXTS: ReadonlySet<string> = new Set([
  'question_text',
  'option_a',
  'option_b',
  'option_c',
  'option_d',
  'correct_answer',
])
type TextField = (typeof TEXTS)[number]['field']
type NumberField = (typeof NUMBERS)[number]['field']

/** A field and what is wrong with it, for the person who entered it. */
export interface QuestionFieldError {
  field: keyof QuestionFields
  error: string
  /** The part of the field that it is about, as `/variables/1/is`. */
  path?: string
}

/** `errors` has one for each wrong field. */
export type CheckedQuestion = { question: QuestionFields } | { errors: QuestionFieldError[] }

export interface CheckOptions {
  /** The path of an image is kept without a check. */
  anyImagePath?: boolean
  /** The images that may be named, where they are not all. */
  images?: ReadonlySet<string> | undefined
}

/** How a question is checked before it is stored. */
export type QuestionCheck = (offered: OfferedQuestion, options?: CheckOptions) => CheckedQuestion

/**
 * Checks a question, wherever it comes from: a form, a list, a CSV, the AI. Texts are trimmed, the key is normalised,
 * missing and empty fields get their defaults. A key must fit its type; a text and a key may be missing.
 */
export function checkQuestion(
  offered: OfferedQuestion,
  { anyImagePath = false, images }: CheckOptions = {},
): CheckedQuestion {
  const errors: QuestionFieldError[] = []
  const note = (field: keyof QuestionFields, error: string | undefined, path?: string) => {
    if (error !== undefined && errors.every((each) => each.field !== field))
      errors.push({ field, error, ...(path === undefined ? {} : { path }) })
  }
  const drawn = readDrawn(offered)
  if ('error' in drawn) note(drawn.field, drawn.error, drawn.path)
  // With wrong ones too, whose places mean something all the same.
  const hasVariables = 'error' in drawn || drawn.variables.length > 0
  const texts = {} as Record<TextField, string>
  for (const { field, longest } of TEXTS) {
    texts[field] = textOf(offered[field])
    note(field, checkText(texts[field], longest))
  }
  const moreOptions = readMoreOptions(offered.more_options)
  if (typeof moreOptions === 'string') note('more_options', moreOptions)
  const tags = readTags(readJson(offered.tags))
  if (typeof tags === 'string') note('tags', tags)

  const type = textOf(offered.question_type).toUpperCase() || 'MCQ'
  const isKnown = isQuestionType(type)
  if (!isKnown) note('question_type', `is not one of ${TYPES.join(', ')}`)

  const imagePath = textOf(offered.image_path) || null
  if (imagePath !== null) note('image_path', checkImagePath(imagePath, anyImagePath, images))
  const numbers = {} as Record<NumberField, number>
  const drawnTolerance = hasVariables ? toleranceIn(offered.tolerance) : undefined
  for (const { field, usual } of NUMBERS) {
    if (field === 'tolerance' && drawnTolerance !== undefined) {
      numbers[field] = usual
      continue
    }
    numbers[field] = readNumber(offered[field], usual)
    note(field, checkNumber(field, numbers[field]))
  }

  const correctAnswer = String(offered.correct_answer ?? '').trim()
  note('correct_answer', checkText(correctAnswer, LONGEST_TEXT))
  // A key can only be read if its type is known and its options are valid. Reading megabytes would take long.
  const isUnusable = errors.some(({ field }) => KEY_TEXTS.has(field))
  if (!isKnown || typeof moreOptions === 'string' || isUnusable) return { errors }
  const key = kindOf(type).readKey({
    ...texts,
    more_options: moreOptions,
    correct_answer: correctAnswer,
    parts: readJson(offered.parts) ?? null,
    hasVariables,
  })
  if ('error' in key) note(key.field, key.error)
  if ('names' in drawn && hasVariables && 'parts' in key)
    for (const { field, error } of checkPlaces(
      { ...texts, ...key, more_options: moreOptions, tolerance: drawnTolerance ?? '' },
      drawn.names,
    ))
      note(field, error)
  if ('error' in key || 'error' in drawn || typeof tags === 'string' || errors.length > 0) return { errors }
  return {
    question: {
      ...texts,
      more_options: moreOptions,
      ...key,
      question_type: type,
      tags,
      image_path: imagePath,
      ...numbers,
      ...(drawnTolerance === undefined ? {} : { tolerance: drawnTolerance }),
      variables: drawn.variables,
      conditions: drawn.conditions,
    },
  }
}

interface Drawn {
  variables: Variable[]
  conditions: string[]
  names: ReadonlySet<string>
}

/** The variables of a question, and their conditions, or what is wrong with them. */
function readDrawn(offered: OfferedQuestion): Drawn | QuestionFieldError {
  const [variables, conditions] = [readJson(offered.variables) ?? [], readJson(offered.conditions) ?? []]
  if (!Array.isArray(variables)) return { field: 'variables', error: 'is not a list' }
  if (variables.length > MOST_VARIABLES)
    return { field: 'variables', error: `has more than ${MOST_VARIABLES}` }
  if (!Array.isArray(conditions) || conditions.some((each) => typeof each !== 'string'))
    return { field: 'conditions', error: 'is not a list of texts' }
  if (conditions.length > MOST_CONDITIONS)
    return { field: 'conditions', error: `has more than ${MOST_CONDITIONS}` }
  if (conditions.length > 0 && variables.length === 0)
    return { field: 'conditions', error: 'are between variables, and there are none' }
  const read: Variable[] = []
  for (const [index, each] of variables.entries()) {
    const variable = readVariable(each)
    if (!variable)
      return {
        field: 'variables',
        path: `/variables/${index}`,
        error: 'is not {name, from, to, step}, {name, values} or {name, is}',
      }
    read.push(variable)
  }
  const trimmed = conditions.map((each: string) => each.trim())
  try {
    readVariables(read, trimmed)
  } catch (error) {
    if (!(error instanceof DrawsError)) throw error
    const field = error.path[0] === 'conditions' ? 'conditions' : 'variables'
    return { field, path: `/${error.path.join('/')}`, error: error.message }
  }
  return { variables: read, conditions: trimmed, names: new Set(read.map(({ name }) => name)) }
}

/** With the fields that its form has, decimals as they were given. */
function readVariable(given: unknown): Variable | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { name, from, to, step, values, is } = given as Record<string, unknown>
  if (typeof name !== 'string') return undefined
  if (typeof is === 'string') return { name, is: is.trim() }
  const isNumber = (each: unknown) =>
    typeof each === 'number' || (typeof each === 'string' && each.length <= 50)
  if (Array.isArray(values)) return values.every(isNumber) ? { name, values } : undefined
  return [from, to, step].every(isNumber) ? ({ name, from, to, step } as Variable) : undefined
}

/** A tolerance that depends on variables; undefined for others. */
function toleranceIn(given: OfferedQuestion['tolerance']): string | undefined {
  const text = textOf(given)
  return isPlace(text) ? text : undefined
}

/** What is wrong with the places for values in a question's texts. */
function checkPlaces(
  question: Partial<Record<keyof QuestionFields, unknown>>,
  names: ReadonlySet<string>,
): QuestionFieldError[] {
  const errors: QuestionFieldError[] = []
  const check = (field: keyof QuestionFields, value: unknown): void => {
    if (typeof value === 'string') {
      const error = checkText(value)
      if (error !== undefined) errors.push({ field, error })
    } else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) check(field, each)
  }
  const checkText = (text: string): string | undefined => {
    try {
      for (const piece of templateOf(text).pieces)
        if (typeof piece === 'object')
          for (const name of namesIn(piece.tree))
            if (!names.has(name)) return `has '${name}', which is no variable`
      return undefined
    } catch (error) {
      if (error instanceof ExpressionError) return error.message
      throw error
    }
  }
  for (const [field, value] of Object.entries(question)) check(field as keyof QuestionFields, value)
  return errors
}

/** What is wrong with a question, on one line. */
export function describeErrors(errors: readonly QuestionFieldError[]): string {
  return errors.map(({ field, path, error }) => `${path?.slice(1) ?? field} ${error}`).join('; ')
}

export function isQuestionType(text: string): text is QuestionType {
  return TYPES.includes(text)
}

/** What is wrong with marks or a tolerance; undefined where nothing is. */
export function checkNumber(field: NumberField, value: number): string | undefined {
  const highest = NUMBERS.find((each) => each.field === field)?.highest ?? 0
  return value >= 0 && value <= highest ? undefined : `is not a number from 0 to ${highest}`
}

/** A tolerance as exact decimal text; undefined if it is none. */
export function readTolerance(given: number | string): string | undefined {
  const text = String(given).trim()
  return isDecimal(text) && checkNumber('tolerance', Number(text)) === undefined ? text : undefined
}

type Scalar = OfferedQuestion[TextField]

/** The trimmed text of a field; a number or a boolean is read as its text. */
export function textOf(given: Scalar): string {
  return String(given ?? '').trim()
}

/** What forms and CSV carry as JSON text, empty for nothing. A text that is no JSON stays a text. */
function readJson(given: unknown): unknown {
  if (typeof given !== 'string') return given
  if (given.trim() === '') return undefined
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

/** The options from E on, without empty ones at the end; a string says what is wrong. */
function readMoreOptions(given: unknown): string[] | string {
  const list = readJson(given) ?? []
  if (!Array.isArray(list)) return 'is not a list of texts'
  if (list.length > MOST_MORE_OPTIONS) return `has more than ${MOST_MORE_OPTIONS} texts`
  if (list.some((option) => typeof option === 'object')) return 'is not a list of texts'
  const options = list.map(textOf)
  for (const [index, option] of options.entries()) {
    const error = checkText(option, LONGEST_TEXT)
    if (error) return `[${index}] ${error}`
  }
  return options.slice(0, options.findLastIndex((option) => option !== '') + 1)
}

/** NaN for anything but a number. */
function readNumber(given: Scalar, usual: number): number {
  if (typeof given === 'number') return given
  const text = textOf(given)
  if (text === '') return usual
  return isDecimal(text) ? Number(text) : Number.NaN
}

function checkImagePath(path: string, any: boolean, images?: ReadonlySet<string>): string | undefined {
  if (images && !images.has(path)) return 'is no image of your own exams'
  if (any) return checkText(path, LONGEST_TEXT)
  return isImageKey(path) ? undefined : 'is not of the form <SubjectFolder>/<filename>'
}

function checkText(text: string, longest: number): string | undefined {
  if (text.includes('\0') || !text.isWellFormed()) return 'holds characters that cannot be stored'
  return isLonger(text, longest) ? `is longer than ${longest} characters` : undefined
}
