import { type Decimal, isWithin } from '@exam-practice/exchange/decimals'
import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { QuestionCheck } from '../../../schemas/generation.schemas.ts'
import type { Prompt } from '../../adapters/ai.ts'
import type { StoredQuestion } from '../../db/tables/generation.tables.ts'
import { toStorable } from '../../formats/storable.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { isDecimal, requireDecimal, writeNumber } from '../questions/kinds/numbers.ts'
import type { ModelOfJob } from './batch-writing.ts'
import {
  type Asked,
  askAnew,
  CHECK_SYSTEM,
  CheckAnswers,
  CheckVerdict,
  toCheckParts,
} from './checking-prompts.ts'
import { givenOptions } from './option-order.ts'

const LARGEST_ANSWER_TOKENS = 8_000
/** The longest that a check may take, repetitions included. */
const DEADLINE_MS = 60_000
const RETRIES = 2
/** Code points of a reason. */
const LONGEST_REASON = 300

export const UNCHECKED: QuestionCheck = { verdict: 'unchecked', answer: null, reason: null }

/**
 * Has the model answer the questions, at most ten, without their keys, and compares. What it doesn't answer, not in
 * time or not in the right form, is unchecked. Throws only when the signal aborts.
 */
export async function checkQuestions(
  write: ModelOfJob,
  questions: readonly StoredQuestion[],
  {
    model,
    pageOf,
    signal,
    log,
  }: {
    model: string
    /** The text of the page that a question stands on, '' where that isn't known. */
    pageOf: (question: StoredQuestion) => string
    signal: AbortSignal
    log: FastifyBaseLogger
  },
): Promise<StoredQuestion[]> {
  const asked = askAnew(questions)
  let text = ''
  try {
    const prompt = {
      system: CHECK_SYSTEM,
      messages: [{ role: 'user', parts: toCheckParts(asked, pageOf) }],
      schema: CheckAnswers,
      model,
      maxTokens: LARGEST_ANSWER_TOKENS,
      deadlineMs: DEADLINE_MS,
      retries: RETRIES,
      signal,
      log,
    } satisfies Prompt
    for await (const part of write('checking', prompt, { waits: true })) if ('text' in part) text += part.text
  } catch (error) {
    signal.throwIfAborted()
    log.info({ err: error }, 'questions could not be checked')
    text = ''
  }
  const answers = readAnswers(text)
  return asked.map((each, index) => {
    const [answer, another] = answers.filter(({ number }) => number === index + 1)
    const isClear = answer !== undefined && another === undefined && 'verdict' in answer
    return { ...each.question, check: isClear ? tryToCompare(each, answer, log) : UNCHECKED }
  })
}

/** No job fails by its checks. */
function tryToCompare(asked: Asked, given: GivenAnswer, log: FastifyBaseLogger): QuestionCheck {
  try {
    return compare(asked, given)
  } catch (error) {
    log.warn({ err: error }, 'an answer could not be compared')
    return UNCHECKED
  }
}

const Answer = Type.Object({
  number: Type.Integer(),
  verdict: CheckVerdict,
  letters: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  texts: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  value: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()])),
  reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
interface GivenAnswer {
  number: number
  verdict: 'answered' | 'none' | 'several' | 'unclear'
  letters?: string[] | null
  texts?: string[] | null
  value?: number | string | null
  reason?: string | null
}
const isAnswer = Compile(Answer)

/** Not every server enforces the schema: of an answer in another form nothing but the number is known. */
function readAnswers(text: string): (GivenAnswer | { number: unknown })[] {
  let answer: unknown
  try {
    answer = JSON.parse(text, withoutInfinity)
  } catch {
    return []
  }
  const { answers } = (answer ?? {}) as { answers?: unknown }
  if (!Array.isArray(answers)) return []
  return answers.map((each) => (isAnswer.Check(each) ? (each as GivenAnswer) : { number: each?.number }))
}

/** A number that is too large is none, but the answer has its form. */
function withoutInfinity(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

function compare(asked: Asked, given: GivenAnswer): QuestionCheck {
  const reason = [...toStorable(given.reason ?? '')].slice(0, LONGEST_REASON).join('')
  const { question } = asked
  const { isAgreed, answer } =
    asked.ownLetters.size > 0 ? compareLetters(asked, given) : compareNumber(question, given)
  const isAnswered = given.verdict === 'answered'
  return { verdict: isAnswered && isAgreed ? 'agreed' : 'disputed', answer, reason }
}

interface Comparison {
  isAgreed: boolean
  answer: QuestionCheck['answer']
}
const NO_ANSWER: Comparison = { isAgreed: false, answer: null }

function compareNumber(question: StoredQuestion, { verdict, value }: GivenAnswer): Comparison {
  if (verdict !== 'answered' || value === null || value === undefined) return NO_ANSWER
  const number = String(value).trim()
  if (!isDecimal(number)) return NO_ANSWER
  const key = requireDecimal(question.correct_answer)
  return {
    isAgreed: isWithin(requireDecimal(number), key, toleranceOf(question, key)),
    answer: writeNumber(number),
  }
}

/** Without a tolerance a millionth of the key, since a model rounds. */
function toleranceOf({ tolerance }: StoredQuestion, key: Decimal): Decimal {
  if (tolerance > 0) return requireDecimal(String(tolerance))
  return { digits: key.digits < 0n ? -key.digits : key.digits, scale: key.scale + 6 }
}

function compareLetters({ question, ownLetters }: Asked, given: GivenAnswer): Comparison {
  const hasAnswer = given.verdict === 'answered' || given.verdict === 'several'
  const named = (given.letters ?? []).map((letter) => ownLetters.get(letter.trim().toUpperCase()))
  if (!hasAnswer || named.length === 0 || named.includes(undefined)) return NO_ANSWER
  const letters = [...new Set(named as string[])].sort()
  // Which of several somebody would take isn't known.
  if (given.verdict === 'several' && letters.length > 1) return NO_ANSWER
  const isAgreed =
    letters.join() === question.correct_answer && !namesAnother(question, letters, given.texts ?? [])
  return { isAgreed, answer: toAnswer(question, letters) }
}

/** Letters as a sync takes them; null where they are more than the question's kind allows. */
function toAnswer(question: StoredQuestion, letters: string[]): QuestionCheck['answer'] {
  const { readAnswer } = kindOf(question.question_type)
  const task = { ...question, id: 0, tolerance: String(question.tolerance) }
  const [only] = letters.length === 1 ? letters : []
  return readAnswer(task, letters, '') ?? readAnswer(task, only, '') ?? null
}

/** Whether one of the texts is that of an option that wasn't taken: then letters and texts contradict each other. */
function namesAnother(
  question: StoredQuestion,
  letters: readonly string[],
  texts: readonly string[],
): boolean {
  const options = givenOptions(question)
  const taken = options.filter(({ letter }) => letters.includes(letter))
  const others = options.filter(({ letter }) => !letters.includes(letter))
  return texts.some((text) =>
    // First as exactly as possible: 1 and -1 differ only in what else makes no difference.
    [toStrict, toLoose].reduce<boolean | undefined>((known, simplify) => {
      if (known !== undefined) return known
      const said = simplify(text)
      if (said === '') return undefined
      const isOf = (option: { text: string }) => simplify(option.text) === said
      return taken.some(isOf) ? false : others.some(isOf) ? true : undefined
    }, undefined),
  )
}

/** Without case, blanks and what LaTeX can write in several ways. */
function toStrict(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll('\u2212', '-')
    .replaceAll(/\\[dt]frac(?![a-zA-Z])/g, '\\frac')
    .replaceAll(
      /\\(?:quad|qquad|thinspace|medspace|thickspace|enspace|left|right)(?![a-zA-Z])|\\[,;:!> ]|~/g,
      '',
    )
    .toLowerCase()
    .replaceAll(/[\s$]+/g, '')
}

/** Without punctuation either. */
function toLoose(text: string): string {
  return toStrict(text).replaceAll(/\p{P}+/gu, '')
}
