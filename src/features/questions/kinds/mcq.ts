import { isBlank, type Kind } from './kind.ts'
import { readLetter, readLetterKey, shownLetters, withLetters } from './letters.ts'

/** One right letter. */
export const mcq: Kind = {
  ...withLetters,
  readKey: (written) => readLetterKey(written, 'MCQ', 1),
  readAnswer: readLetter,
  rightAnswer: ({ correct_answer }) => correct_answer || null,
  guess: (task) => 1 / shownLetters(task).length,
  compile({ correct_answer: key }) {
    if (key === '') return undefined
    return {
      denominator: 1n,
      judge: (answer) => (isBlank(answer) ? undefined : answer === key ? 1n : 0n),
    }
  },
}
