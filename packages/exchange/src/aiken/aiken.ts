import { createItems, Skip } from '../items.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import type { Item } from '../question.ts'
import { toChoice } from '../tasks.ts'
import { checkLength, linesOf } from '../texts/decoding.ts'

/** Of lines without blanks around them. */
const OPTION = /^([A-Z])[.)](?:\s(.*))?$/s
const ANSWER = /^ANSWER\s*:\s*([A-Z])$/i

/** Whether the beginning of a file has both kinds of lines. */
export function isAiken(head: string): boolean {
  const lines = [...linesOf(head)].map((line) => line.trim())
  return lines.some((line) => ANSWER.test(line)) && lines.some((line) => OPTION.test(line))
}

/** A question's lines, then `A. …` or `A) …` for each option, then `ANSWER: A`. */
export function* readAiken(text: string): Generator<Item> {
  const items = createItems()
  let stem: string[] = []
  let options: { letter: string; text: string }[] = []
  let length = 0

  const build = (key: string | undefined): Item => {
    const [lines, choices] = [stem, options]
    stem = []
    options = []
    length = 0
    return items.read(lines.join(' '), () => {
      if (key === undefined) throw new Skip('it has no line ANSWER')
      if (choices.some(({ letter }, index) => letter !== String.fromCharCode(65 + index)))
        throw new Skip('its options are not lettered A, B, C …')
      if (!choices.some(({ letter }) => letter === key)) throw new Skip(`it has no option ${key}`)
      const shares = choices.map((choice) => ({
        text: toMarkdown(choice.text),
        share: choice.letter === key ? 1 : 0,
      }))
      return {
        question: {
          ...toChoice(shares, false),
          text: toMarkdown(lines.map((line) => line.trim()).join('\n')),
          explanation: '',
          tags: [],
        },
      }
    })
  }

  for (const line of linesOf(text)) {
    length += line.length
    checkLength(length)
    const trimmed = line.trim()
    const answer = ANSWER.exec(trimmed)?.[1]
    const [, letter, option = ''] = OPTION.exec(trimmed) ?? []
    if (answer !== undefined && (stem.length > 0 || options.length > 0)) yield build(answer.toUpperCase())
    else if (letter !== undefined && stem.length > 0) options.push({ letter, text: option.trim() })
    else if (trimmed === '') continue
    else {
      // The next question begins, though this one has no answer.
      if (options.length > 0) yield build(undefined)
      stem.push(line)
    }
  }
  if (stem.length > 0) yield build(undefined)
}
