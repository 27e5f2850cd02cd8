import {
  ExpressionError,
  onlyPlace,
  type Place,
  parseTemplate,
  type Template,
} from '@exam-practice/expressions'
import type { Question } from '../question.ts'

/** A text with places for values; undefined where it has none, or something else between braces. */
export function templateOf(text: string): Template | undefined {
  if (!text.includes('{@')) return undefined
  try {
    return parseTemplate(text)
  } catch (error) {
    if (error instanceof ExpressionError) return undefined
    throw error
  }
}

/** The place that a key or a tolerance is; undefined for a number. */
export function placeOf(text: string): Place | undefined {
  const template = templateOf(text)
  return template && onlyPlace(template)
}

/** Whether values of variables stand in a question. */
export function isDrawn({ variables = [], conditions: _, ...question }: Question): boolean {
  return variables.length > 0 && hasValues(question)
}

function hasValues(part: unknown): boolean {
  if (typeof part === 'string') return part.includes('{@')
  return typeof part === 'object' && part !== null && Object.values(part).some(hasValues)
}
