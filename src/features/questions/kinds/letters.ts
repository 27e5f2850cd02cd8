import type { StoredAnswer } from '../../../db/tables/attempts.tables.ts'
import { isBlank, type Kind, type Options, type ReadKey, type Task, type WrittenTask } from './kind.ts'

/** All letters that an option can have: four of its own fields, and up to 22 of `more_options`. */
const ALL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const MOST_MORE_OPTIONS = ALL.length - 4

/** Every option that has a letter, with its text, which may be empty. */
export function optionsOf(task: Options): { letter: string; text: string }[] {
  const texts = [task.option_a, task.option_b, task.option_c, task.option_d, ...task.more_options]
  return texts.map((text, index) => ({ letter: ALL.charAt(index), text }))
}

/**
 * The letters of the options that are shown: those with a text. Where A to D have none, the options are in the
 * question's picture, and A to D are shown as well.
 */
export function shownLetters(task: Options): string[] {
  const options = optionsOf(task)
  const arePictured = options.slice(0, 4).every(({ text }) => text === '')
  return options
    .filter(({ text }, index) => text !== '' || (arePictured && index < 4))
    .map(({ letter }) => letter)
}

/** The letters of `A,C`, `AC` or `["A","C"]`; undefined for anything else. */
function readLetters(text: string): string[] | undefined {
  const [, list] = /^\[(.*)\]$/s.exec(text) ?? []
  const letters = (list === undefined ? text : list.replace(/["']/g, '')).toUpperCase().replace(/\s/g, '')
  return /^[A-Z](,?[A-Z])*$/.test(letters) ? letters.replaceAll(',', '').split('') : undefined
}

/** A key of up to `most` letters of shown options, in alphabetical order. */
export function readLetterKey(written: WrittenTask, type: 'MCQ' | 'MSQ', most: number): ReadKey {
  if (written.parts !== null) return { field: 'parts', error: `must be null for a question of type ${type}` }
  if (written.correct_answer === '') return { correct_answer: '', parts: null }
  const letters = readLetters(written.correct_answer) ?? []
  const options = new Map(optionsOf(written).map(({ letter, text }) => [letter, text]))
  if (letters.length === 0 || letters.length > most || !letters.every((letter) => options.has(letter)))
    return { field: 'correct_answer', error: `does not fit a question of type ${type}` }
  const shown = shownLetters(written)
  const hidden = letters.find((letter) => !shown.includes(letter))
  if (hidden !== undefined)
    return { field: 'correct_answer', error: `names option ${hidden}, which has no text` }
  return { correct_answer: [...new Set(letters)].sort().join(','), parts: null }
}

/** What kinds with one right letter and with several have in common. */
export const withLetters = {
  show: () => null,
  letters: shownLetters,
  showAnswer: (_task: Task, answer: StoredAnswer) => answer,
  isAnswered: (_task: Task, answer: StoredAnswer) => !isBlank(answer),
  isSameTask: () => true,
  counter: () => ({ count: (answer: StoredAnswer) => ({ choices: [...answer] }), shared: [] }),
} satisfies Partial<Kind>

/**
 * A letter that an answer may name, in any case; '' where it is blank. A to D always are, as clients from before empty
 * options were left out expect.
 */
export function readLetter({ more_options }: Task, given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  const letter = given.trim().toUpperCase()
  if (letter === '') return ''
  const index = letter.length === 1 ? ALL.indexOf(letter) : -1
  return (index >= 0 && index < 4) || more_options[index - 4] ? letter : undefined
}
