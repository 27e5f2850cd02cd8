import type { QuestionType } from '../../../../schemas/common.ts'
import { pairsOf } from '../kinds/matching.ts'
import { type ExportedQuestion, listOptions } from './exchange-item.ts'
import { withWildcardsEscaped } from './exchange-kinds.ts'

/**
 * What stands between the braces; undefined where GIFT has no form: for orders and gaps, and for answers with an arrow,
 * which would be read as pairs.
 */
const ANSWERS: Record<QuestionType, (question: ExportedQuestion) => string | undefined> = {
  MCQ: (question) => writeOptions(question, (percent) => (percent > 0 ? '=' : '~')),
  MSQ: (question) => writeOptions(question, (percent) => `~%${percent}%`),
  NUMERIC: ({ correct_answer: key, tolerance }) => (key === '' ? '#' : `#${key}:${tolerance}`),
  SHORT: ({ correct_answer: key }) =>
    key === '' || key.includes('->') ? undefined : lines(key.split('\n').map(writeAccepted)),
  MATCHING(question) {
    const { pairs, distractors } = pairsOf(question)
    if (pairs.some(({ prompt }) => prompt.includes('->'))) return undefined
    return lines([
      ...pairs.map(({ prompt, match }) => `=[plain]${escaped(prompt)} -> ${escaped(match)}`),
      ...distractors.map((distractor) => `= -> ${escaped(distractor)}`),
    ])
  },
  ORDERING: () => undefined,
  GAPS: () => undefined,
}

export function isGift(question: ExportedQuestion): boolean {
  return ANSWERS[question.question_type](question) !== undefined
}

/** The format has no place for marks, images and carriage returns. */
export async function* writeGift(questions: AsyncIterable<ExportedQuestion>): AsyncGenerator<string> {
  for await (const question of questions) {
    const { question_type: type, id, tags, explanation } = question
    const named = tags.map((tag) => `// [tag:${tag.replace(/[[\]\\]/g, '\\$&')}]\n`).join('')
    const feedback = explanation === '' ? '' : `\n\t####[plain]${escaped(explanation)}\n`
    yield `${named}::${type} ${id}::[plain]${escaped(question.question_text)}{${ANSWERS[type](question)}${feedback}}\n\n`
  }
}

/** `mark` gets what the option brings, in percent. */
function writeOptions(question: ExportedQuestion, mark: (percent: number) => string): string {
  const options = listOptions(question)
  const right = options.filter((option) => option.right).length
  return lines(
    options.map((option) => {
      const percent = option.right ? Number((100 / right).toFixed(5)) : right === 0 ? 0 : -100
      return `${mark(percent)}[plain]${escaped(option.text)}`
    }),
  )
}

function writeAccepted(line: string): string {
  const [, percent, text = line] = /^%([^%]*)%(.*)$/s.exec(line) ?? []
  // Without a percentage, a text that looks like one would be taken for it.
  return `=%${percent ?? 100}%[plain]${escaped(withWildcardsEscaped(text))}`
}

function lines(answers: readonly string[]): string {
  return `\n${answers.map((answer) => `\t${answer}\n`).join('')}`
}

const SPECIAL = /[\\:#={}~]/g

function escaped(text: string): string {
  return text.replace(SPECIAL, '\\$&').replace(/\r\n|\r|\n/g, '\\n')
}
