import type { Gap, GapsParts } from '../../../../schemas/parts.schemas.ts'
import { leastCommonMultiple } from '../../../formats/fractions.ts'
import type { AnswerCounts, ExactKey, Filling, Kind, Task } from './kind.ts'
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
import { opaqueIds, withIds } from './opaque-ids.ts'
import { areSame, inPlainOrder, PartsError, readList, readObject, readPartText } from './parts.ts'
import {
  alsoTyped,
  bestText,
  compileTexts,
  countWritten,
  LONGEST_ACCEPTED,
  MOST_ACCEPTED,
  normalise,
  readAccepted,
  readText,
} from './texts.ts'

const GAPS = [1, 20] as const
/** Of which a value with a minus sign makes two. */
const ACCEPTED = [1, 2 * MOST_ACCEPTED] as const
const CHOICES = [2, 20] as const
const WIDEST_TOLERANCE = 1e15

/** A text with gaps `[[1]]` … `[[n]]`. A stored answer has an entry for each gap; of a choice its place. */
export const gaps: Kind = {
  readKey({ question_text, parts, hasVariables = false }) {
    try {
      const read = readParts(parts, hasVariables)
      const error = checkMarks(question_text, read.gaps.length)
      return error === undefined ? { correct_answer: '', parts: read } : { field: 'question_text', error }
    } catch (error) {
      if (error instanceof PartsError) return { field: 'parts', error: error.message }
      throw error
    }
  },
  fill: (task, filling) => ({ parts: { gaps: gapsOf(task).map((gap) => fillGap(gap, filling)) } }),
  show: (task, seed) => ({
    gaps: gapsOf(task).map((gap, index) =>
      gap.kind === 'choice'
        ? { kind: gap.kind, choices: withIds(seed, nameOf(task, index), inPlainOrder(gap.choices)) }
        : { kind: gap.kind },
    ),
  }),
  letters: () => null,
  readAnswer(task, given, seed) {
    const all = gapsOf(task)
    if (!Array.isArray(given) || given.length !== all.length) return undefined
    const entries = all.map((gap, index) => readEntry(gap, given[index], () => idsOf(task, gap, index, seed)))
    return entries.includes(undefined) ? undefined : (entries as string[])
  },
  showAnswer: (task, answer, seed) =>
    gapsOf(task).map((gap, index) => {
      const entry = answer[index] ?? ''
      return gap.kind === 'choice' && entry !== ''
        ? (idsOf(task, gap, index, seed)[Number(entry)] ?? '')
        : entry
    }),
  rightAnswer: (task) => gapsOf(task).map(rightEntry),
  compile(task, scoring) {
    const judges = gapsOf(task).map(compileGap)
    const each = judges.reduce((common, { denominator }) => leastCommonMultiple(common, denominator), 1n)
    const denominator = each * BigInt(judges.length)
    const judge = remembering((answer) => {
      const shares = judges.map(({ shareOf }, index) => shareOf(answer[index] ?? ''))
      if (shares.every((share) => share === undefined)) return null
      const sum = shares.reduce<bigint>(
        (total, share, index) => total + (share ?? 0n) * (each / (judges[index]?.denominator ?? 1n)),
        0n,
      )
      return sum === denominator || scoring === 'partial' ? sum : 0n
    })
    return {
      denominator,
      judge: (answer) => (Array.isArray(answer) ? (judge(answer) ?? undefined) : undefined),
    }
  },
  isAnswered: (task, answer) =>
    Array.isArray(answer) && gapsOf(task).some((gap, index) => isFilled(gap, answer[index] ?? '')),
  isSameTask(one, other) {
    const others = gapsOf(other)
    const own = gapsOf(one)
    return own.length === others.length && own.every((gap, index) => isSameGap(gap, others[index] as Gap))
  },
  guess: () => 0,
  counter(task) {
    const all = gapsOf(task)
    const judges = all.map(compileGap)
    return {
      count(answer) {
        const wrong: AnswerCounts['wrong'] = all.flatMap((gap, index) => {
          const entry = answer[index] ?? ''
          return judges[index]?.shareOf(entry) === 0n ? [{ gap: index + 1, text: wordsOf(gap, entry) }] : []
        })
        return { wrong }
      },
      shared: [],
    }
  },
}

/** A number gap with the exact values of key and tolerance. */
type DrawnGap = Extract<Gap, { kind: 'number' }> & { exact?: ExactKey }

function fillGap(gap: Gap, filling: Filling): Gap {
  switch (gap.kind) {
    case 'text':
      return {
        ...gap,
        accepted: gap.accepted.flatMap((line) => alsoTyped(filling.text(line), line)),
      }
    case 'choice':
      return { ...gap, choices: gap.choices.map((each) => filling.text(each)) }
    case 'number':
      return { ...gap, ...fillNumber(String(gap.key), String(gap.tolerance), filling) }
  }
}

function readParts(given: unknown, hasVariables: boolean): GapsParts {
  const { gaps: list } = readObject(given)
  return {
    gaps: readList(list, 'gaps', GAPS, (entry, name): Gap => {
      const gap = readObject(entry, name)
      switch (gap.kind) {
        case 'text': {
          const accepted = readList(gap.accepted, `${name}.accepted`, ACCEPTED, readAcceptedText)
          if (countWritten(accepted) > MOST_ACCEPTED)
            throw new PartsError(`${name}.accepted has more than ${MOST_ACCEPTED} texts`)
          return { kind: 'text', accepted }
        }
        case 'choice': {
          const choices = readList(gap.choices, `${name}.choices`, CHOICES, readPartText)
          const { correct } = gap
          if (!Number.isInteger(correct) || choices[correct as number] === undefined)
            throw new PartsError(`${name}.correct is not the index of a choice`)
          return { kind: 'choice', choices, correct: correct as number }
        }
        case 'number':
          return {
            kind: 'number',
            key: readNumber(gap.key, `${name}.key`, hasVariables),
            tolerance: readTolerance(gap.tolerance ?? 0, `${name}.tolerance`, hasVariables),
          }
        default:
          throw new PartsError(`${name}.kind is not text, choice or number`)
      }
    }),
  }
}

function readAcceptedText(given: unknown, name: string): string {
  const line = readPartText(given, name)
  const read = readAccepted(line)
  if (typeof read === 'string') throw new PartsError(`${name} ${read}`)
  return line
}

/** A number or its decimal text, kept in the form that was given. */
function readNumber(given: unknown, name: string, hasVariables: boolean): number | string {
  const text = typeof given === 'string' ? given.trim() : given
  if ((typeof text !== 'string' && typeof text !== 'number') || !isDecimal(String(text)))
    if (!hasVariables || typeof text !== 'string' || !isPlace(text))
      throw new PartsError(`${name} is not a decimal number`)
  return text as number | string
}

function readTolerance(given: unknown, name: string, hasVariables: boolean): number | string {
  const tolerance = readNumber(given, name, hasVariables)
  if (typeof tolerance === 'string' && tolerance.includes('{@')) return tolerance
  if (Number(tolerance) < 0 || Number(tolerance) > WIDEST_TOLERANCE)
    throw new PartsError(`${name} is not a number from 0 to ${WIDEST_TOLERANCE}`)
  return tolerance
}

/** What is wrong with the marks of the gaps in the text; undefined where nothing is. */
function checkMarks(text: string, count: number): string | undefined {
  const marks = [...text.matchAll(/\[\[(\d+)\]\]/g)].map(([, number]) => number)
  for (let number = 1; number <= count; number += 1)
    if (marks.filter((mark) => mark === String(number)).length !== 1)
      return `does not hold [[${number}]] exactly once`
  return marks.length > count ? 'holds marks of gaps that are not in parts' : undefined
}

interface CompiledGap {
  denominator: bigint
  /** undefined: it is empty. */
  shareOf(entry: string): bigint | undefined
}

function compileGap(gap: Gap): CompiledGap {
  switch (gap.kind) {
    case 'text': {
      const { denominator, shareOf } = compileTexts(gap.accepted)
      return { denominator, shareOf: (entry) => (isFilled(gap, entry) ? shareOf(entry) : undefined) }
    }
    case 'choice': {
      const right = rightEntry(gap)
      return { denominator: 1n, shareOf: (entry) => (entry === '' ? undefined : entry === right ? 1n : 0n) }
    }
    case 'number': {
      const { exact } = gap as DrawnGap
      const isRight = exact ? compileExact(exact) : compileNumber(String(gap.key), String(gap.tolerance))
      return {
        denominator: 1n,
        shareOf(entry) {
          const right = isRight(entry)
          return right === undefined ? undefined : right ? 1n : 0n
        },
      }
    }
  }
}

function readEntry(gap: Gap, given: unknown, ids: () => string[]): string | undefined {
  if (given === '') return ''
  switch (gap.kind) {
    case 'text':
      return readText(given, LONGEST_ACCEPTED)
    case 'number':
      return readTyped(given)
    case 'choice': {
      const place = ids().indexOf(given as string)
      return place < 0 ? undefined : String(place)
    }
  }
}

/** The right entry as it would be stored. */
function rightEntry(gap: Gap): string {
  switch (gap.kind) {
    case 'text':
      return bestText(gap.accepted) ?? ''
    case 'number':
      return String(gap.key)
    case 'choice':
      return String(inPlainOrder(gap.choices).indexOf(gap.choices[gap.correct] as string))
  }
}

function isFilled(gap: Gap, entry: string): boolean {
  switch (gap.kind) {
    case 'text':
      return normalise(entry) !== ''
    case 'number':
      return readGivenNumber(entry) !== undefined
    case 'choice':
      return entry !== ''
  }
}

function isSameGap(one: Gap, other: Gap): boolean {
  if (one.kind !== 'choice' || other.kind !== 'choice') return one.kind === other.kind
  return areSame(inPlainOrder(one.choices), inPlainOrder(other.choices))
}

/** What stands in a gap, in the form in which equal entries are the same. */
function wordsOf(gap: Gap, entry: string): string {
  switch (gap.kind) {
    case 'text':
      return normalise(entry)
    case 'number':
      return writeNumber(entry)
    case 'choice':
      return inPlainOrder(gap.choices)[Number(entry)] ?? ''
  }
}

export function gapsOf({ id, parts }: Pick<Task, 'id' | 'parts'>): Gap[] {
  if (parts === null || !('gaps' in parts)) throw new Error(`question ${id} has no gaps`)
  return parts.gaps
}

function nameOf({ id }: Task, index: number): string {
  return `${id}.${index}`
}

function idsOf(task: Task, gap: Gap, index: number, seed: string): string[] {
  return gap.kind === 'choice' ? opaqueIds(seed, nameOf(task, index), new Set(gap.choices).size) : []
}
