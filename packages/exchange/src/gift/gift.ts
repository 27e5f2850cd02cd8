import { createItems, joinTexts, NoQuestion, readTags, Skip } from '../items.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import { inOrder, requireUnhidden } from '../moodle/moodle-rules.ts'
import { halfway } from '../numbers/decimal-ranges.ts'
import type { Asked, Item, Matching, NumberEntry, Ordering, Task, TextEntry } from '../question.ts'
import { toAccepted, toChoice, toTrueFalse } from '../tasks.ts'
import { checkLength, linesOf } from '../texts/decoding.ts'
import { htmlToText } from '../texts/rich-text.ts'

/**
 * Moodle's GIFT: questions between blank lines, their answers in braces. A question that can't be read is skipped and
 * named. Unescaped braces of LaTeX are told from those of the answers if that is certain.
 */
export function* readGift(text: string): Generator<Item> {
  const items = createItems()
  for (const { text: block, tags } of readBlocks(text)) {
    const { name, format, body } = splitHead(block)
    yield items.read(name ?? body, () => ({
      question: { ...readQuestion(format, body), tags: readTags(tags) },
    }))
  }
}

/**
 * Blank lines end a question, except inside its braces. Comments and categories are no questions; tags are in comments.
 */
function* readBlocks(text: string): Generator<{ text: string; tags: string[] }> {
  let lines: string[] = []
  let tags: string[] = []
  let length = 0
  let open = false
  const finish = () => {
    const block = { text: lines.join('\n'), tags }
    lines = []
    tags = []
    length = 0
    open = false
    return block
  }
  for (const line of linesOf(text)) {
    const start = line.trimStart()
    if (start.startsWith('//')) tags.push(...tagsOf(start))
    if (start.startsWith('//') || start.startsWith('$CATEGORY:')) continue
    checkLength(line.length)
    const brackets = findMarks(line, '{}').map((place) => line[place])
    // An unclosed brace must not swallow the next question.
    const begins = open && lines.at(-1)?.trim() === '' && (start.startsWith('::') || brackets[0] === '{')
    if ((start === '' ? !open : begins) && lines.length > 0) yield finish()
    if (start === '' && !open) continue
    lines.push(line)
    length += line.length
    checkLength(length)
    if (brackets.length > 0) open = brackets.at(-1) === '{'
  }
  if (lines.length > 0) yield finish()
}

function tagsOf(comment: string): string[] {
  checkLength(comment.length)
  return [...comment.matchAll(/\[tag:((?:\\\]|[^\]])+)\]/g)].map(([, tag = '']) => tag.replaceAll('\\]', ']'))
}

/** The positions of these characters that are not escaped by a backslash. */
function findMarks(text: string, characters: string): number[] {
  const places: number[] = []
  for (let place = 0; place < text.length; place += 1) {
    const character = text.charAt(place)
    if (character === '\\') place += 1
    else if (characters.includes(character)) places.push(place)
  }
  return places
}

/** The text before the first unescaped hashes. */
function beforeHashes(text: string, hashes: '#' | '####'): string {
  return text.slice(
    0,
    findMarks(text, '#').find((place) => text.startsWith(hashes, place)),
  )
}

type Format = 'moodle' | 'html' | 'plain' | 'markdown'
const FORMAT = /^\s*\[(moodle|html|plain|markdown)\]/i

function splitHead(block: string): { name: string | undefined; format: Format; body: string } {
  const [head = '', name] = /^\s*::((?:\\.|[^\\])*?)::/s.exec(block) ?? []
  const { format, text } = splitFormat(block.slice(head.length), 'moodle')
  return { name: name === undefined ? undefined : unescaped(name), format, body: text }
}

function splitFormat(text: string, usual: Format): { format: Format; text: string } {
  const [marker = '', format] = FORMAT.exec(text) ?? []
  return { format: (format?.toLowerCase() as Format | undefined) ?? usual, text: text.slice(marker.length) }
}

function readQuestion(format: Format, body: string): Task & Omit<Asked, 'tags'> {
  const found = findAnswers(body)
  if (!found) throw new NoQuestion('it asks nothing (description)')
  const before = body.slice(0, found.start).trimEnd()
  const after = body.slice(found.end + 1).trim()
  const stem = toText(after === '' ? before : `${before} _____ ${after}`, format)
  const content = body.slice(found.start + 1, found.end)
  const answers = beforeHashes(content, '####')
  // The general feedback, which students get whatever they answer.
  const general = toOwnFormat(content.slice(answers.length + '####'.length), format)
  const { task, feedback = '' } = readAnswers(answers.trim(), format)
  return { ...task, text: stem, explanation: joinTexts([general, toOwnFormat(feedback, format)]) }
}

interface Answers {
  task: Task
  /** Of the right answer. */
  feedback?: string | undefined
}

function readAnswers(answers: string, format: Format): Answers {
  if (answers === '') throw new Skip('it asks for an essay')
  // In small letters they are short answers.
  const [, truth, rest = ''] = /^(TRUE|FALSE|T|F)\s*(#.*)?$/s.exec(answers) ?? []
  // The feedback for wrong answers comes first, then that for right ones.
  if (truth !== undefined)
    return { task: toTrueFalse(truth.startsWith('T')), feedback: rest.slice(1).split('#')[1] }
  if (answers.startsWith('#')) return readNumeric(answers.slice(1))
  if (answers.startsWith('>')) return { task: readOrdering(answers.slice(1), format) }
  return readOptions(answers, format)
}

interface Braces {
  start: number
  end: number
}

/** The braces of the answers: the only ones, or the last ones after LaTeX's own. */
function findAnswers(body: string): Braces | undefined {
  const blocks: Braces[] = []
  let depth = 0
  let start = 0
  for (const index of findMarks(body, '{}')) {
    if (body[index] === '{') {
      if (depth === 0) start = index
      depth += 1
    } else {
      depth -= 1
      if (depth < 0) break
      if (depth === 0) blocks.push({ start, end: index })
    }
  }
  if (depth !== 0) throw new Skip('its braces do not match')
  const [only, ...others] = blocks
  if (others.length === 0) return only
  const likely = blocks.filter(({ start: at, end }) => looksLikeAnswers(body.slice(at + 1, end)))
  const last = likely.at(-1)
  // LaTeX's own follow a command, an exponent or other braces.
  if (!last || likely.slice(0, -1).some(({ start: at }) => !/[\w^}]/.test(body[at - 1] ?? '')))
    throw new Skip('it has several parts in braces')
  return last
}

function looksLikeAnswers(content: string): boolean {
  return /^\s*([=~#>]|(TRUE|FALSE|T|F)\s*(#|$)|$)/.test(content)
}

function readOptions(answers: string, format: Format): Answers {
  const options = splitOptions(answers)
  const right = options.filter(({ mark, weight = mark === '=' ? 100 : 0 }) => weight > 0)
  const feedback = right.length === 1 ? right[0]?.feedback : undefined
  if (!options.some(({ mark }) => mark === '~'))
    return options.every(({ text }) => text.includes('->'))
      ? { task: readPairs(options, format) }
      : // That of the first text that brings all marks.
        {
          task: readTexts(options),
          feedback: options.find(({ weight = 100 }) => weight === 100)?.feedback,
        }
  const multiple =
    !options.some(({ mark }) => mark === '=') && options.some(({ weight }) => weight !== undefined)
  const choices = options.map(({ mark, weight, text }) => ({
    text: toOwnFormat(text, format),
    share: weight === undefined ? Number(mark === '=') : weight / 100,
  }))
  return { task: toChoice(choices, multiple), feedback }
}

function readPairs(options: Option[], format: Format): Matching {
  const pairs = options.map(({ text }) => {
    const arrow = text.indexOf('->')
    // The right side has no format, as in Moodle.
    return {
      prompt: toOwnFormat(text.slice(0, arrow), format),
      match: toMarkdown(unescaped(text.slice(arrow + 2)).trim()),
    }
  })
  const distractors = pairs.filter(({ prompt }) => prompt === '').map(({ match }) => match)
  return {
    kind: 'matching',
    pairs: pairs.filter(({ prompt }) => prompt !== ''),
    distractors: [...new Set(distractors)],
  }
}

function readTexts(options: Option[]): TextEntry {
  // Whatever their format says, they are what students type.
  const answers = options.map(({ text, percent = '100' }) => ({
    text: unescaped(splitFormat(text, 'plain').text).trim(),
    percent,
  }))
  return { kind: 'text', accepted: toAccepted(inOrder(answers)) }
}

/** How many items are shown, which of them, and how. */
const ORDERING = /^\s*\d+(?:[ \t]+([A-Z]+)(?:[ \t]+[A-Z_\d]+)*)?[ \t]*\n/

/** An order of items, one a line, after how many of them are shown. */
function readOrdering(answers: string, format: Format): Ordering {
  const [head, selection = ''] = ORDERING.exec(answers) ?? []
  if (head === undefined) throw new Skip('its order cannot be read')
  if (/^(RANDOM|REL|CONTIGUOUS|CONTIG)$/.test(selection))
    throw new Skip('it shows a part of its items, drawn anew for each student')
  const items = answers
    .slice(head.length)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return { kind: 'ordering', items: items.map((line) => toOwnFormat(line, format)) }
}

/** A text that may begin with a format of its own. */
function toOwnFormat(text: string, usual: Format): string {
  const own = splitFormat(text, usual)
  return toText(own.text, own.format)
}

function readNumeric(answers: string): Answers {
  const content = answers.trim()
  const options = /^[=~]/.test(content) ? splitOptions(content) : [toOption('=', content)]
  // After a tilde is what is said of all other numbers.
  const right = options.filter(({ mark, weight = mark === '=' ? 100 : 0 }) => weight > 0)
  const [only, ...others] = right
  if (others.length > 0 || (only?.weight !== undefined && only.weight < 100))
    throw new Skip('several numbers bring marks')
  requireUnhidden(options.map((option) => ({ ...toRange(option.text), brings: option === only })))
  return {
    task: { kind: 'number', ...toRange(only?.text ?? '') } satisfies NumberEntry,
    feedback: only?.feedback,
  }
}

function toRange(written: string): Pick<NumberEntry, 'key' | 'tolerance'> {
  const text = unescaped(written).trim()
  const dots = text.indexOf('..')
  const [key = '', tolerance = ''] =
    dots < 0 ? text.split(':') : (halfway(text.slice(0, dots).trim(), text.slice(dots + 2).trim()) ?? ['?'])
  return { key: key.trim(), tolerance: tolerance.trim() || '0' }
}

interface Option {
  mark: '=' | '~'
  /** Percent, as a number and as it is written. */
  weight: number | undefined
  percent: string | undefined
  text: string
  feedback: string
}

function splitOptions(answers: string): Option[] {
  const places = findMarks(answers, '=~')
  // A text alone is a short answer.
  if (places.length === 0) return [toOption('=', answers)]
  if (answers.slice(0, places[0]).trim() !== '') throw new Skip('its answers begin with no mark')
  return places.map((place, index) =>
    toOption(answers[place] === '=' ? '=' : '~', answers.slice(place + 1, places[index + 1])),
  )
}

function toOption(mark: Option['mark'], content: string): Option {
  const [head = '', percent] = /^\s*%([-+]?[\d.]+)%/.exec(content) ?? []
  const text = beforeHashes(content.slice(head.length), '#')
  return {
    mark,
    weight: percent === undefined ? undefined : Number(percent),
    percent,
    text,
    feedback: content.slice(head.length + text.length + 1),
  }
}

/** Before any other character a backslash is a plain one, so LaTeX keeps its own. */
function unescaped(text: string): string {
  return text.replace(/\\([\\:#={}~n])/g, (_, character: string) => (character === 'n' ? '\n' : character))
}

const TAGS =
  'p|br|b|i|u|em|strong|sub|sup|span|div|img|ul|ol|li|table|tbody|tr|td|th|pre|code|h[1-6]|a|font|hr|tt|center'
/** A character of an attribute's value. The beginning of another tag is none, so that the time is linear. */
const inValue = (except: string) => `([^<${except}]|<(?![a-z/]))`
const VALUE = `("${inValue('"')}*"|'${inValue("'")}*'|${inValue(String.raw`\s"'>`)}+)`
/** A tag of HTML or an entity. */
const TAG = new RegExp(
  String.raw`<\/?(${TAGS})(\s+[\w-]+\s*=\s*${VALUE})*\s*\/?>|&(#\d+|#x[\da-f]+|[a-z]+);`,
  'i',
)

/** A text as CommonMark. */
function toText(escapedText: string, format: Format): string {
  const text = unescaped(escapedText).trim()
  if (format === 'markdown') return text
  if (format === 'plain') return toMarkdown(text)
  if (format === 'moodle' && !TAG.test(text)) return toMarkdown(text.replace(/^[ \t]+/gm, ''))
  // Moodle's own format is HTML in which line ends count.
  const plain = htmlToText(format === 'html' ? text : text.replaceAll('\n', '<br>'))
  if (plain.images.length > 0) throw new Skip('its image is not in the file')
  return plain.text
}
