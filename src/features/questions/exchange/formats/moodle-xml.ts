import { decodeIfEncoded, encodePath } from '../../../../formats/percent.ts'
import { childOf, childrenOf, escapeXml, readElements, textOf, type XmlElement } from '../files/xml.ts'
import {
  createItems,
  type ExportedQuestion,
  type FoundImage,
  type Item,
  listOptions,
  onlyImage,
  type ReadImage,
  Skip,
  toChoiceQuestion,
  toTrueFalse,
  withoutImages,
} from '../item.ts'
import { readDataUrl } from '../markup/images.ts'
import { htmlToText, type PlainText, textToHtml } from '../markup/rich-text.ts'

/** Moodle's names of types that we don't have. */
const UNKNOWN_TYPES: Record<string, string> = {
  cloze: 'it has several parts (cloze)',
  description: 'it asks nothing (description)',
  essay: 'it asks for an essay',
  matching: 'it asks to match pairs',
  shortanswer: 'it asks for a short answer',
}

export function* readMoodleXml(text: string): Generator<Item> {
  const items = createItems()
  for (const element of readElements(text, new Set(['question']))) {
    const { type = '' } = element.attributes
    // A category of the following questions, no question.
    if (type === 'category') continue
    yield items.read(textOf(childOf(element, 'name', 'text')), () => readQuestion(type, element))
  }
}

function readQuestion(type: string, element: XmlElement) {
  const unknown = UNKNOWN_TYPES[type]
  if (unknown !== undefined) throw new Skip(unknown)
  const stem = readText(childOf(element, 'questiontext'))
  const address = onlyImage(stem.images)
  const image = address === undefined ? undefined : findImage(element, address)
  const grade = textOf(childOf(element, 'defaultgrade')).trim()
  return {
    question: {
      ...readAnswers(type, element, stem.text),
      ...(grade === '' ? {} : { positive_marks: grade }),
    },
    ...(image === undefined ? {} : { image }),
  }
}

function readAnswers(type: string, element: XmlElement, stem: string) {
  const answers = childrenOf(element, 'answer')
  switch (type) {
    case 'multichoice': {
      const single = textOf(childOf(element, 'single')).trim().toLowerCase()
      const choices = answers.map((answer) => ({
        text: withoutImages(readText(answer)),
        share: shareOf(answer),
      }))
      return toChoiceQuestion(stem, choices, single === 'false' || single === '0')
    }
    case 'truefalse': {
      const right = answers.find((answer) => shareOf(answer) > 0)
      return toTrueFalse(stem, textOf(childOf(right, 'text')).trim().toLowerCase() === 'true')
    }
    case 'numerical':
      return readNumeric(element, answers, stem)
    default:
      throw new Skip(`it is of a type that is not known here (${type.slice(0, 40) || 'none'})`)
  }
}

function readNumeric(element: XmlElement, answers: XmlElement[], stem: string) {
  const grading = textOf(childOf(element, 'unitgradingtype')).trim()
  if (childrenOf(childOf(element, 'units'), 'unit').length > 0 && !['', '0'].includes(grading))
    throw new Skip('its answer needs a unit')
  const right = answers.filter((answer) => shareOf(answer) > 0)
  const [only, ...others] = right
  if (others.length > 0 || (only && shareOf(only) < 1)) throw new Skip('several numbers bring marks')
  return {
    question_type: 'NUMERIC',
    question_text: stem,
    correct_answer: textOf(childOf(only, 'text')).trim(),
    tolerance: textOf(childOf(only, 'tolerance')).trim() || '0',
  }
}

function shareOf(answer: XmlElement): number {
  const fraction = Number(answer.attributes.fraction ?? '0')
  if (!Number.isFinite(fraction)) throw new Skip('the marks of an answer cannot be read')
  return fraction / 100
}

function readText(element: XmlElement | undefined): PlainText {
  const text = textOf(childOf(element, 'text'))
  switch (element?.attributes.format) {
    case 'plain_text':
    case 'markdown':
      return { text: text.trim(), images: [] }
    case 'moodle_auto_format':
      return htmlToText(text.trim().replace(/\r\n|\r|\n/g, '<br>'))
    default:
      return htmlToText(text)
  }
}

const STORED = /^@@PLUGINFILE@@\//

function findImage(element: XmlElement, address: string): FoundImage {
  const data = readDataUrl(address)
  if (data) return data
  const [path = ''] = address.replace(STORED, '').split('?')
  const wanted = decodeIfEncoded(path)
  const file = childrenOf(childOf(element, 'questiontext'), 'file').find(
    ({ attributes: { name = '', path: folder = '/' } }) => `${folder}${name}`.replace(/^\/+/, '') === wanted,
  )
  if (!file || !STORED.test(address)) throw new Skip('its image is not in the file')
  return { name: wanted, bytes: Buffer.from(textOf(file), 'base64') }
}

/** The format has no place for negative marks. */
export async function* writeMoodleXml(
  questions: AsyncIterable<ExportedQuestion>,
  readImage: ReadImage,
): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
  for await (const question of questions) yield writeQuestion(question, await readImage(question))
  yield '</quiz>\n'
}

const TYPES = { MCQ: 'multichoice', MSQ: 'multichoice', NUMERIC: 'numerical' }

function writeQuestion(question: ExportedQuestion, image: FoundImage | undefined): string {
  const picture = image && `<p><img src="@@PLUGINFILE@@/${encodePath(image.name)}" alt=""></p>`
  return `  <question type="${TYPES[question.question_type]}">
    <name><text>${question.question_type} ${question.id}</text></name>
    <questiontext format="html">
      <text>${escapeXml(textToHtml(question.question_text) + (picture ?? ''))}</text>
${image ? writeFile(image) : ''}    </questiontext>
    <defaultgrade>${question.positive_marks}</defaultgrade>
${question.question_type === 'NUMERIC' ? writeNumeric(question) : writeChoices(question)}  </question>
`
}

function writeFile({ name, bytes }: FoundImage): string {
  const slash = name.lastIndexOf('/')
  const folder = escapeXml(`/${name.slice(0, slash + 1)}`)
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  return `      <file name="${escapeXml(name.slice(slash + 1))}" path="${folder}" encoding="base64">${base64}</file>\n`
}

function writeChoices(question: ExportedQuestion): string {
  const options = listOptions(question)
  const right = options.filter((option) => option.right).length
  const fraction = (isRight: boolean) => {
    if (isRight) return Number((100 / right).toFixed(5))
    // One wrong choice costs all marks, as it does here.
    return question.question_type === 'MSQ' && right > 0 ? -100 : 0
  }
  const answers = options.map(
    (option) =>
      `    <answer fraction="${fraction(option.right)}" format="html"><text>${escapeXml(textToHtml(option.text))}</text></answer>\n`,
  )
  return `    <single>${question.question_type === 'MCQ'}</single>\n    <shuffleanswers>false</shuffleanswers>\n${answers.join('')}`
}

function writeNumeric({ correct_answer: key, tolerance }: ExportedQuestion): string {
  if (key === '') return ''
  return `    <answer fraction="100" format="moodle_auto_format"><text>${escapeXml(key)}</text><tolerance>${tolerance}</tolerance></answer>\n`
}
