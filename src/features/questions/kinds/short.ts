import type { Kind } from './kind.ts'
import { isBlank, remembering } from './kind.ts'
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

/** A text that is compared with accepted ones, one a line of the key, which may bring a share of the marks each. */
export const short: Kind = {
  readKey({ correct_answer, parts }) {
    if (parts !== null) return { field: 'parts', error: 'must be null for a SHORT question' }
    const lines = linesOf(correct_answer)
    if (countWritten(lines) > MOST_ACCEPTED)
      return { field: 'correct_answer', error: `has more than ${MOST_ACCEPTED} lines` }
    for (const [index, line] of lines.entries()) {
      const read = readAccepted(line)
      if (typeof read === 'string') return { field: 'correct_answer', error: `line ${index + 1} ${read}` }
    }
    return { correct_answer: lines.join('\n'), parts: null }
  },
  fill: ({ correct_answer }, { text }) => ({
    correct_answer: linesOf(correct_answer)
      .flatMap((line) => alsoTyped(text(line), line))
      .join('\n'),
  }),
  show: () => null,
  letters: () => null,
  readAnswer: (_task, given) => readText(given, LONGEST_ACCEPTED),
  showAnswer: (_task, answer) => answer,
  rightAnswer: ({ correct_answer }) => bestText(linesOf(correct_answer)) ?? null,
  compile({ correct_answer }) {
    if (correct_answer === '') return undefined
    const { denominator, shareOf } = compileTexts(linesOf(correct_answer))
    const judge = remembering((answer) => (normalise(String(answer)) === '' ? null : shareOf(String(answer))))
    return { denominator, judge: (answer) => (isBlank(answer) ? undefined : (judge(answer) ?? undefined)) }
  },
  isAnswered: (_task, answer) => normalise(String(answer)) !== '',
  isSameTask: () => true,
  guess: () => 0,
  counter({ correct_answer }) {
    const { shareOf } = compileTexts(linesOf(correct_answer))
    return {
      count(answer) {
        const isWrong = correct_answer !== '' && shareOf(String(answer)) === 0n
        return isWrong ? { wrong: [{ text: normalise(String(answer)) }] } : {}
      },
      shared: [],
    }
  },
}

function linesOf(key: string): string[] {
  return key
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
