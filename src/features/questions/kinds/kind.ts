import type { Values } from '@exam-practice/expressions'
import type { Parts, ShownParts } from '../../../../schemas/parts.schemas.ts'
import type { StoredAnswer } from '../../../db/tables/attempts.tables.ts'

export type MsqScoring = 'all_or_nothing' | 'partial'

/** What a kind has to know of a question. */
export interface Task {
  id: number
  question_text: string
  option_a: string
  option_b: string
  option_c: string
  option_d: string
  /** Options E, F, … */
  more_options: readonly string[]
  /** '' for none, and where `parts` hold the key. */
  correct_answer: string
  /** Decimal text. */
  tolerance: string
  parts: Parts | null
  /** The exact values of key and tolerance, where these are shown rounded. */
  exact?: ExactKey | undefined
}

/** Key and tolerance of a number where they come from variables; undefined where there is no value. */
export interface ExactKey {
  key: ExactNumber | undefined
  tolerance: ExactNumber | undefined
}

/** A fraction, or a decimal text. */
export type ExactNumber = { s: bigint; n: bigint; d: bigint } | string

/** Puts the values of a draw in their places (`concrete.ts`). */
export interface Filling {
  values: Values
  /** A text that is shown. */
  text(template: string): string
  /** What is one place alone, or a number as it is; undefined where it has no value. */
  number(template: string): { text: string; exact?: Exclude<ExactNumber, string> } | undefined
  /** An expression. */
  expression(template: string): string
}

/** The fields of a question that its letters stand for. */
export type Options = Pick<Task, 'option_a' | 'option_b' | 'option_c' | 'option_d' | 'more_options'>

/** What a teacher wrote of the fields that belong to the kind; the texts are trimmed. */
export type WrittenTask = Omit<Task, 'id' | 'tolerance' | 'parts' | 'exact'> & {
  parts: unknown
  /** Whether it has variables: then `{@…@}` may stand where a number does. */
  hasVariables?: boolean
}

/** Key and parts as they are stored, or the field that doesn't fit, with the reason in words for its writer. */
export type ReadKey =
  | { correct_answer: string; parts: Parts | null }
  | { field: 'question_text' | 'correct_answer' | 'parts'; error: string }

/** Grades answers to one question. */
export interface CompiledKey {
  /** Every share that an answer can reach is a whole number of this part of the marks. */
  denominator: bigint
  /** The share: all of `denominator` is right, 0 is wrong, undefined is no answer. */
  judge(answer: StoredAnswer | undefined): bigint | undefined
}

/** What analysis counts of an answer. */
export interface AnswerCounts {
  /** Options, or values, by which the answer is listed among `options`. */
  choices?: string[]
  /** Normalised texts that are wrong; `gap` counts from 1. */
  wrong?: { gap?: number; text: string }[]
  /** The places of the shared texts (`shares`) that are right. */
  right?: number[]
}

/**
 * A kind of question: everything that depends on `question_type` is in a file of its own here, except for what other
 * systems' formats do with it (`../exchange/`). A stored answer names choices by their places in an order that the key
 * doesn't decide; students see ids in their stead, which `seed` makes.
 */
export interface Kind {
  /** Reads key and parts as a teacher writes them; '' is no key yet. */
  readKey(written: WrittenTask): ReadKey
  /** Whether `parts` say what is asked alone, so that a new key leaves them as they are. */
  partsAreNoKey?: true
  /** Key and parts with the values of a draw; left out where all texts of `parts` are shown as they are, and no key has any. */
  fill?(task: Task, filling: Filling): Partial<Pick<Task, 'correct_answer' | 'parts' | 'tolerance' | 'exact'>>
  /** What students get in place of `parts`. */
  show(task: Task, seed: string): ShownParts | null
  /** The letters of the options that are shown; null where the kind has none. */
  letters(options: Options): string[] | null
  /** A given answer as it is stored; undefined if it has another form. '' and [] never come here. */
  readAnswer(task: Task, given: unknown, seed: string): StoredAnswer | undefined
  /** A stored answer as its student gave it. */
  showAnswer(task: Task, answer: StoredAnswer, seed: string): StoredAnswer
  /** The right answer as it would be stored; null without a key. */
  rightAnswer(task: Task): StoredAnswer | null
  /** undefined without a key. */
  compile(task: Task, scoring: MsqScoring): CompiledKey | undefined
  /** Why a stored answer can't be read, in words for its student; undefined where it can. Only where that needs words. */
  whyUnreadable?(task: Task, answer: StoredAnswer): string | undefined
  /** Whether an answer counts as one. */
  isAnswered(task: Task, answer: StoredAnswer): boolean
  /** Whether students see the same, so that answers to one can be judged by the key of the other. */
  isSameTask(one: Task, other: Task): boolean
  /** How likely somebody who knows nothing is right. */
  guess(task: Task): number
  /** What analysis counts of answers. */
  counter(task: Task): {
    count(answer: StoredAnswer): AnswerCounts
    /** The texts whose shares are told; empty for most kinds. */
    shared: string[]
  }
}

/** Answers of one question whose outcome is remembered: most people give the same few. */
const MOST_REMEMBERED = 1_000

/** Makes `judge` calculate the outcome of the commonest answers only once. */
export function remembering<T>(judge: (answer: StoredAnswer) => T): (answer: StoredAnswer) => T {
  const known = new Map<string, T>()
  return (answer) => {
    const name = typeof answer === 'string' ? answer : answer.join('\0')
    const found = known.get(name)
    if (found !== undefined) return found
    const outcome = judge(answer)
    if (known.size < MOST_REMEMBERED) known.set(name, outcome)
    return outcome
  }
}

export function isBlank(answer: StoredAnswer | undefined): answer is undefined | '' {
  return answer === undefined || answer.length === 0
}
