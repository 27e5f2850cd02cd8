import type { Kind } from './kind.ts'
import { remembering } from './kind.ts'
import {
  compileExact,
  compileNumber,
  fillNumber,
  isDecimal,
  isPlace,
  readGivenNumber,
  readTyped,
  writeNumber,
} from './numbers.ts'

/** A decimal number, right within a tolerance (docs/protocol/exams.md#grading). */
export const numeric: Kind = {
  readKey({ correct_answer: key, parts, hasVariables }) {
    if (parts !== null) return { field: 'parts', error: 'must be null for a NUMERIC question' }
    if (key !== '' && !isDecimal(key) && !(hasVariables && isPlace(key)))
      return { field: 'correct_answer', error: 'does not fit a question of type NUMERIC' }
    return { correct_answer: key, parts: null }
  },
  fill({ correct_answer, tolerance: given }, filling) {
    const { key, tolerance, exact } = fillNumber(correct_answer, given, filling)
    return { correct_answer: key, tolerance, exact: correct_answer === '' ? undefined : exact }
  },
  show: () => null,
  letters: () => null,
  readAnswer: (_task, given) => readTyped(given),
  showAnswer: (_task, answer) => answer,
  rightAnswer: ({ correct_answer }) => correct_answer || null,
  compile({ correct_answer: key, tolerance, exact }) {
    if (key === '') return undefined
    const isRight = exact ? compileExact(exact) : compileNumber(key, tolerance)
    const outcome = remembering((answer) => isRight(String(answer)) ?? null)
    return {
      denominator: 1n,
      judge(answer) {
        const right = typeof answer === 'string' ? outcome(answer) : null
        return right === null ? undefined : right ? 1n : 0n
      },
    }
  },
  isAnswered: (_task, answer) => typeof answer === 'string' && readGivenNumber(answer) !== undefined,
  isSameTask: () => true,
  guess: () => 0,
  counter({ correct_answer: key, tolerance, exact }) {
    const isRight = key === '' ? () => undefined : exact ? compileExact(exact) : compileNumber(key, tolerance)
    return {
      count: (answer) => ({
        choices: isRight(String(answer)) === false ? [writeNumber(String(answer))] : [],
      }),
      shared: [],
    }
  },
}
