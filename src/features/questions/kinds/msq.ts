import { isBlank, type Kind } from './kind.ts'
import { readLetter, readLetterKey, shownLetters, withLetters } from './letters.ts'

/** One or more right letters. */
export const msq: Kind = {
  ...withLetters,
  readKey: (written) => readLetterKey(written, 'MSQ', Number.POSITIVE_INFINITY),
  readAnswer(task, given) {
    if (!Array.isArray(given)) return undefined
    const letters = new Set(given.map((letter) => readLetter(task, letter) || undefined))
    return letters.has(undefined) ? undefined : ([...letters].sort() as string[])
  },
  rightAnswer: ({ correct_answer }) => (correct_answer === '' ? null : correct_answer.split(',')),
  guess: (task) => 1 / (2 ** shownLetters(task).length - 1),
  compile({ correct_answer: key }, scoring) {
    if (key === '') return undefined
    const wanted = maskOf(key.split(','))
    const denominator = countBits(wanted)
    return {
      denominator,
      judge(answer) {
        if (isBlank(answer)) return undefined
        const chosen = maskOf(answer)
        if (chosen === wanted) return denominator
        return scoring === 'all_or_nothing' || (chosen & ~wanted) !== 0 ? 0n : countBits(chosen)
      },
    }
  },
}

function maskOf(letters: string | string[]): number {
  let mask = 0
  for (const letter of letters) mask |= 1 << (letter.charCodeAt(0) - 65)
  return mask
}

function countBits(mask: number): bigint {
  let count = 0n
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1n
  return count
}
