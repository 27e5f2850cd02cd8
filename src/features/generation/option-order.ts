import { randomInt } from 'node:crypto'
import type { GeneratedQuestion } from '../../../schemas/generation.schemas.ts'
import { optionsOf } from '../questions/kinds/letters.ts'
import { speakOfOptions } from './option-mentions.ts'

/** The options that have a text. */
export function givenOptions(question: GeneratedQuestion): { letter: string; text: string }[] {
  return optionsOf(question).filter(({ text }) => text !== '')
}

/**
 * The question with its options in a random order and the key with them, since models prefer some letters. As it is
 * where a text speaks of options by letter, by place or together.
 */
export function moveOptions(question: GeneratedQuestion): GeneratedQuestion {
  const options = givenOptions(question)
  const texts = [question.question_text, question.explanation, ...options.map(({ text }) => text)]
  if (options.length === 0 || speakOfOptions(texts)) return question
  const order = inRandomOrder(options)
  const moved: Record<string, string> = {}
  const placeOf = new Map<string, string>()
  for (const [index, { letter, text }] of order.entries()) {
    const place = options[index]?.letter ?? letter
    moved[`option_${place.toLowerCase()}`] = text
    placeOf.set(letter, place)
  }
  const key = question.correct_answer.split(',').map((letter) => placeOf.get(letter) ?? letter)
  return { ...question, ...moved, correct_answer: key.sort().join(',') }
}

/** Fisher and Yates' shuffle. */
export function inRandomOrder<T>(list: readonly T[]): T[] {
  const order = [...list]
  for (let last = order.length - 1; last > 0; last--) {
    const chosen = randomInt(last + 1)
    ;[order[last], order[chosen]] = [order[chosen] as T, order[last] as T]
  }
  return order
}
