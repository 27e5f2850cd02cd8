import { hash } from 'node:crypto'
import {
  countFinite,
  drawPoints,
  ExpressionError,
  FUNCTION_NAMES,
  isEqual,
  isName,
  LEAST_FINITE,
  type Points,
  parseExpression,
  type Random,
  readTyped,
  requireAllowed,
  requireKnown,
  type Tree,
} from '@exam-practice/expressions'
import type { FormulaParts } from '../../../../schemas/parts.schemas.ts'
import type { StoredAnswer } from '../../../db/tables/attempts.tables.ts'
import { isBlank, type Kind, remembering, type Task } from './kind.ts'
import { isDecimal } from './numbers.ts'
import { areSame, PartsError, readList, readObject } from './parts.ts'
import { readText } from './texts.ts'

/** Code points of an answer that is kept as it was typed, also where it is too long to be read. */
const LONGEST_TYPED = 2_000
const SYMBOLS = [1, 10] as const
const FUNCTIONS = [0, FUNCTION_NAMES.length] as const

/** An expression in the question's symbols, compared with the key by its value (docs/protocol/questions.md#kinds). */
export const formula: Kind = {
  partsAreNoKey: true,
  readKey({ correct_answer, parts, hasVariables = false }) {
    try {
      const read = readParts(parts)
      // Where it has values it is a key for each draw only.
      const isDrawn = hasVariables && correct_answer.includes('{@')
      const error = correct_answer === '' || isDrawn ? undefined : checkKey(correct_answer, read)
      return error === undefined ? { correct_answer, parts: read } : { field: 'correct_answer', error }
    } catch (error) {
      if (error instanceof PartsError) return { field: 'parts', error: error.message }
      throw error
    }
  },
  fill: ({ correct_answer }, { expression }) => ({ correct_answer: expression(correct_answer) }),
  show: (task) => ({ symbols: namesOf(task) }),
  letters: () => null,
  readAnswer: (_task, given) => readText(given, LONGEST_TYPED),
  showAnswer: (_task, answer) => answer,
  rightAnswer: ({ correct_answer }) => correct_answer || null,
  compile(task) {
    if (task.correct_answer === '') return undefined
    // Only once somebody has answered: with variables each attempt has a key of its own.
    let points: Points | null | undefined
    const judge = remembering((answer) => {
      const read = readFormula(task, answer)
      if ('error' in read) return null
      points ??= findPoints(task)
      return points && isEqual(read.tree, points)
    })
    return {
      denominator: 1n,
      judge(answer) {
        const right = isBlank(answer) ? null : judge(answer)
        return right === null ? undefined : right ? 1n : 0n
      },
    }
  },
  whyUnreadable(task, answer) {
    const read = readFormula(task, answer)
    return 'error' in read ? `This is no formula yet: it ${read.error}` : undefined
  },
  isAnswered: (task, answer) => !isBlank(answer) && 'tree' in readFormula(task, answer),
  isSameTask: (one, other) => areSame(namesOf(one), namesOf(other)),
  guess: () => 0,
  counter(task) {
    const key = formula.compile(task, 'all_or_nothing')
    return {
      count: (answer) =>
        key?.judge(answer) === 0n ? { wrong: [{ text: String(answer).replace(/\s+/g, '') }] } : {},
      shared: [],
    }
  },
}

function readParts(given: unknown): FormulaParts {
  const { symbols, also } = readObject(given)
  const read = readList(symbols, 'symbols', SYMBOLS, readSymbol)
  const names = read.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new PartsError('symbols has a name twice')
  if (also === undefined || also === null) return { symbols: read }
  return { symbols: read, also: readList(also, 'also', FUNCTIONS, readFunction) }
}

function readSymbol(given: unknown, path: string): FormulaParts['symbols'][number] {
  const { name, from, to } = readObject(given, path)
  if (typeof name !== 'string' || !isName(name))
    throw new PartsError(
      `${path}.name is not a letter, then letters, digits and underscores, or has a meaning already`,
    )
  if ((from ?? to) === undefined) return { name }
  for (const [field, limit] of Object.entries({ from, to }))
    if ((typeof limit !== 'string' && typeof limit !== 'number') || !isDecimal(String(limit)))
      throw new PartsError(`${path}.${field} is not a decimal number`)
  if (Number(from) >= Number(to)) throw new PartsError(`${path}.to is not above from`)
  return { name, from: from as string | number, to: to as string | number }
}

function readFunction(given: unknown, path: string): string {
  if (!FUNCTION_NAMES.some((name) => name === given))
    throw new PartsError(`${path} is not one of ${FUNCTION_NAMES.join(', ')}`)
  return given as string
}

/** What is wrong with a key; undefined where nothing is. */
function checkKey(key: string, parts: FormulaParts): string | undefined {
  try {
    const finite = countFinite(pointsOf(key, parts))
    if (finite >= LEAST_FINITE) return undefined
    return `has a value at ${finite} of 24 points between its symbols’ limits, and ${LEAST_FINITE} are needed`
  } catch (error) {
    if (error instanceof ExpressionError) return error.message
    throw error
  }
}

/** null where a draw's values have made the key longer than one that is read, which saving has tried to find. */
function findPoints(task: Task): Points | null {
  try {
    return pointsOf(task.correct_answer, partsOf(task))
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
}

/**
 * Where answers are compared with the key. They are drawn from key and symbols alone, so that an attempt is graded alike
 * on every node and at any time. Throws ExpressionError for a key that can't be read.
 */
function pointsOf(key: string, parts: FormulaParts): Points {
  const { symbols } = parts
  return drawPoints(
    readKeyTree(key, parts),
    symbols.map(({ name, from, to }) => ({ name, from: limit(from), to: limit(to) })),
    randomOf(JSON.stringify([key, symbols])),
  )
}

/** An expression; what is none is read as answers are. Throws ExpressionError. */
function readKeyTree(key: string, { symbols, also }: FormulaParts): Tree {
  const names = symbols.map(({ name }) => name)
  let tree: Tree
  try {
    tree = requireKnown(parseExpression(key), new Set(names))
  } catch (error) {
    if (error instanceof ExpressionError) return readTyped(key, { symbols: names, also })
    throw error
  }
  return requireAllowed(tree, also)
}

const limit = (given: string | number | undefined) => (given === undefined ? undefined : String(given))

function readFormula(task: Task, answer: StoredAnswer): { tree: Tree } | { error: string } {
  const { symbols, also } = partsOf(task)
  try {
    return { tree: readTyped(String(answer), { symbols: symbols.map(({ name }) => name), also }) }
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.message }
    throw error
  }
}

/** Always the same numbers for a seed. */
function randomOf(seed: string): Random {
  let block = Buffer.alloc(0)
  let blocks = 0
  return () => {
    if (block.length === 0) {
      block = hash('sha256', `${blocks} ${seed}`, 'buffer')
      blocks += 1
    }
    const number = block.readUInt32LE()
    block = block.subarray(4)
    return number
  }
}

function partsOf({ id, parts }: Pick<Task, 'id' | 'parts'>): FormulaParts {
  if (parts === null || !('symbols' in parts)) throw new Error(`question ${id} has no symbols`)
  return parts
}

function namesOf(task: Task): string[] {
  return partsOf(task).symbols.map(({ name }) => name)
}
