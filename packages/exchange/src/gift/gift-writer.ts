import { type Place, toPlainText, withoutMarks } from '../markdown/from-markdown.ts'
import { inMoodleOrder, isMoodle, toPercentage } from '../moodle/moodle-rules.ts'
import type { Accepted, Choice, ExportedItem, Question, Task } from '../question.ts'
import { withWildcardsEscaped } from '../tasks.ts'
import { textToHtml } from '../texts/rich-text.ts'
import { isDrawn } from '../variables/places.ts'

/**
 * What stands between the braces; undefined where GIFT has no form: for orders and gaps, and for answers with an arrow,
 * which would be read as pairs.
 */
function writeAnswers(task: Task): string | undefined {
  switch (task.kind) {
    case 'choice':
      return writeOptions(task)
    case 'number':
      return `#${task.key}:${task.tolerance}`
    case 'text':
      return task.accepted.some(({ text }) => text.includes('->'))
        ? undefined
        : lines(inMoodleOrder(task.accepted).map(writeAccepted))
    case 'matching':
      return task.pairs.some(({ prompt }) => withoutMarks(prompt, 'option').includes('->'))
        ? undefined
        : lines([
            ...task.pairs.map(
              ({ prompt, match }) =>
                `=${formatted(prompt, 'option')} -> ${escaped(withoutMarks(match, 'option'))}`,
            ),
            ...task.distractors.map((distractor) => `= -> ${escaped(withoutMarks(distractor, 'option'))}`),
          ])
    case 'ordering':
    case 'gaps':
      return undefined
  }
}

/** Whether GIFT has a form for it that Moodle takes. It has none for variables. */
export function isGift(question: Question): boolean {
  return !isDrawn(question) && isMoodle(question) && writeAnswers(question) !== undefined
}

/** Questions for which `isGift` holds. The format has no place for marks, images and carriage returns. */
export async function* writeGift(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  for await (const { name, question } of items) {
    const { tags, explanation, text } = question
    const named = tags.map((tag) => `// [tag:${tag.replaceAll(']', '\\]')}]\n`).join('')
    // An empty line would end the question, for Moodle within its braces too.
    const feedback = explanation === '' ? '' : `\t####${formatted(explanation)}\n`
    yield `${named}::${escaped(name)}::${formatted(text)}{${writeAnswers(question)}${feedback}}\n\n`
  }
}

function writeOptions({ multiple, options }: Choice): string {
  const right = options.filter(({ isRight }) => isRight).length
  return lines(
    options.map(({ text, isRight }) => {
      const percent = isRight ? Number((100 / right).toFixed(5)) : right === 0 ? 0 : -100
      const mark = multiple ? `~%${percent}%` : isRight ? '=' : '~'
      return `${mark}${formatted(text, 'option')}`
    }),
  )
}

/** With its percentage even where that is all of them: without one, a text that looks like one would be taken for it. */
function writeAccepted({ text, percent }: Accepted): string {
  return `=%${toPercentage(Number(percent)) ?? percent}%[plain]${escaped(withWildcardsEscaped(text))}`
}

function lines(answers: readonly string[]): string {
  return `\n${answers.map((answer) => `\t${answer}\n`).join('')}`
}

const SPECIAL = /[\\:#={}~]/g

/** Plain text, or HTML where it has marks. */
function formatted(source: string, place: Place = 'text'): string {
  const text = toPlainText(source, place)
  return text === undefined ? `[html]${escaped(textToHtml(source, place))}` : `[plain]${escaped(text)}`
}

function escaped(text: string): string {
  return text.replace(SPECIAL, '\\$&').replace(/\r\n|\r|\n/g, '\\n')
}
