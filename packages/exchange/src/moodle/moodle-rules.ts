import { Skip } from '../items.ts'
import { digitsAt, isWithin, parseDecimal } from '../numbers/decimals.ts'
import type { Accepted, Gap, Question } from '../question.ts'
import { withoutWildcards } from '../tasks.ts'
import { isDrawn } from '../variables/places.ts'
import { canBeCalculated } from './calculated-writer.ts'

/**
 * The parts of the marks that Moodle's importer knows, in per cent, and their negatives: an answer with any other ends
 * the import of the whole file.
 */
const PERCENTAGES = [
  100, 90, 83.33333, 80, 75, 70, 66.66667, 60, 50, 40, 33.33333, 30, 25, 20, 16.66667, 14.28571, 12.5,
  11.11111, 10, 5, 0,
]

/** How far a percentage may be from one of these, and is written as it. */
const NEAR = 0.0001

/** A percentage as Moodle knows it; undefined where it doesn't. */
export function toPercentage(percent: number): number | undefined {
  return PERCENTAGES.find((known) => Math.abs(known - percent) < NEAR)
}

/** Whether Moodle takes a question in a file, GIFT or XML: one that it refuses costs the whole file. */
export function isMoodle(question: Question): boolean {
  if (isDrawn(question) && !canBeCalculated(question)) return false
  switch (question.kind) {
    case 'choice': {
      const right = question.options.filter(({ isRight }) => isRight).length
      return right === 0 || toPercentage(100 / right) !== undefined
    }
    case 'number':
      return question.key !== ''
    case 'text':
      return (
        isTaken(question.accepted) && question.accepted.every(({ percent }) => toPercentage(Number(percent)))
      )
    case 'gaps':
      return question.gaps.every((gap) => isGapTaken(gap))
    case 'matching':
    case 'ordering':
      return true
  }
}

function isGapTaken(gap: Gap): boolean {
  if (gap.kind === 'choice') return true
  return gap.kind === 'number' ? gap.key !== '' : isTaken(gap.accepted)
}

/** Its best answer has to bring all marks. */
function isTaken(accepted: readonly Accepted[]): boolean {
  return accepted.some(({ percent }) => Number(percent) === 100)
}

/**
 * Accepted texts as Moodle compares them: the first that matches counts, so the best comes first, and of several blanks
 * one is left.
 */
export function inMoodleOrder(accepted: readonly Accepted[]): Accepted[] {
  return accepted
    .map(({ text, percent }) => ({ text: text.replace(/\s+/gu, ' ').trim(), percent }))
    .toSorted((one, other) => Number(other.percent) - Number(one.percent))
}

/**
 * The texts that bring marks, of answers in the order of a file: of equal ones the first counts. Throws `Skip` where
 * one with a wildcard brings marks, or takes them from one that follows.
 */
export function inOrder(answers: readonly Accepted[]): Accepted[] {
  const seen = new Set<string>()
  const right: Accepted[] = []
  let hides = false
  for (const { text, percent } of answers) {
    const brings = !(Number(percent) <= 0)
    if (hides && brings) throw new Skip('an earlier answer with a wildcard hides another')
    if (!brings && /(^|[^\\])\*/.test(text)) hides = true
    else {
      const plain = brings ? withoutWildcards(text) : text.replaceAll('\\*', '*')
      const same = plain.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()
      if (brings && !seen.has(same)) right.push({ text: plain, percent })
      seen.add(same)
    }
  }
  return right
}

/** A number as it is answered, `*` for any. */
interface Entry {
  key: string
  tolerance: string
  brings: boolean
}

/**
 * Throws `Skip` where a number that brings no marks stands before the right one and takes answers from it: the first
 * that an answer is near enough to counts.
 */
export function requireUnhidden(entries: readonly Entry[]): void {
  const index = entries.findIndex(({ brings }) => brings)
  const right = entries[index]
  if (right && entries.slice(0, index).some((earlier) => overlaps(earlier, right)))
    throw new Skip('an earlier answer without marks hides the right number')
}

function overlaps(one: Entry, other: Entry): boolean {
  if (one.key.trim() === '*') return true
  const [key, wanted] = [one, other].map((each) => parseDecimal(each.key.trim()))
  const [near, far] = [one, other].map(({ tolerance }) => parseDecimal(tolerance.trim() || '0'))
  if (!key || !wanted || !near || !far) return false
  const scale = Math.max(near.scale, far.scale)
  return isWithin(key, wanted, { digits: digitsAt(near, scale) + digitsAt(far, scale), scale })
}
