import type { QuestionType } from '../../../../schemas/common.ts'
import { encodePath } from '../../../formats/percent.ts'
import { pairsOf } from '../kinds/matching.ts'
import { itemsOf } from '../kinds/ordering.ts'
import { writeCloze } from './cloze.ts'
import { type ExportedQuestion, type FoundImage, listOptions, type ReadImage } from './exchange-item.ts'
import { withWildcardsEscaped } from './exchange-kinds.ts'
import { textToHtml } from './rich-text.ts'
import { escapeXml } from './xml.ts'

/** The name that Moodle has for a type, and what stands for its key. */
const TYPES: Record<QuestionType, { name: string; writeAnswers(question: ExportedQuestion): string }> = {
  MCQ: { name: 'multichoice', writeAnswers: (question) => writeChoices(question, true) },
  MSQ: { name: 'multichoice', writeAnswers: (question) => writeChoices(question, false) },
  NUMERIC: { name: 'numerical', writeAnswers: writeNumeric },
  SHORT: { name: 'shortanswer', writeAnswers: writeTexts },
  MATCHING: { name: 'matching', writeAnswers: writePairs },
  ORDERING: { name: 'ordering', writeAnswers: writeItems },
  // The key stands in the text.
  GAPS: { name: 'cloze', writeAnswers: () => '' },
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

function writeQuestion(question: ExportedQuestion, image: FoundImage | undefined): string {
  const { id, question_type: type, explanation, tags } = question
  const picture = image && `<p><img src="@@PLUGINFILE@@/${encodePath(image.name)}" alt=""></p>`
  const feedback = explanation === '' ? '' : writeText('generalfeedback', textToHtml(explanation))
  const named = tags.map((tag) => `<tag><text>${escapeXml(tag)}</text></tag>`).join('')
  return `  <question type="${TYPES[type].name}">
    <name><text>${type} ${id}</text></name>
    <questiontext format="html">
      <text>${escapeXml(writeStem(question) + (picture ?? ''))}</text>
${image ? writeFile(image) : ''}    </questiontext>
${feedback}    <defaultgrade>${question.positive_marks}</defaultgrade>
${TYPES[type].writeAnswers(question)}${named && `    <tags>${named}</tags>\n`}  </question>
`
}

function writeStem({ question_text, parts }: ExportedQuestion): string {
  return parts !== null && 'gaps' in parts ? writeCloze(question_text, parts.gaps) : textToHtml(question_text)
}

function writeFile({ name, bytes }: FoundImage): string {
  const slash = name.lastIndexOf('/')
  const folder = escapeXml(`/${name.slice(0, slash + 1)}`)
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  return `      <file name="${escapeXml(name.slice(slash + 1))}" path="${folder}" encoding="base64">${base64}</file>\n`
}

function writeText(element: string, html: string): string {
  return `    <${element} format="html"><text>${escapeXml(html)}</text></${element}>\n`
}

function writeChoices(question: ExportedQuestion, isSingle: boolean): string {
  const options = listOptions(question)
  const right = options.filter((option) => option.right).length
  const fraction = (isRight: boolean) => {
    if (isRight) return Number((100 / right).toFixed(5))
    // One wrong choice costs all marks, as it does here.
    return !isSingle && right > 0 ? -100 : 0
  }
  const answers = options.map(
    (option) =>
      `    <answer fraction="${fraction(option.right)}" format="html"><text>${escapeXml(textToHtml(option.text))}</text></answer>\n`,
  )
  return `    <single>${isSingle}</single>\n    <shuffleanswers>false</shuffleanswers>\n${answers.join('')}`
}

function writeNumeric({ correct_answer: key, tolerance }: ExportedQuestion): string {
  if (key === '') return ''
  return `    <answer fraction="100" format="moodle_auto_format"><text>${escapeXml(key)}</text><tolerance>${tolerance}</tolerance></answer>\n`
}

function writeTexts({ correct_answer: key }: ExportedQuestion): string {
  const answers = key.split('\n').map((line) => {
    const [, percent = '100', text = line] = /^%([^%]*)%(.*)$/s.exec(line) ?? []
    return text === ''
      ? ''
      : `    <answer fraction="${percent}" format="moodle_auto_format"><text>${escapeXml(withWildcardsEscaped(text))}</text></answer>\n`
  })
  return `    <usecase>0</usecase>\n${answers.join('')}`
}

function writePairs(question: ExportedQuestion): string {
  const { pairs, distractors } = pairsOf(question)
  return [...pairs, ...distractors.map((match) => ({ prompt: '', match }))]
    .map(({ prompt, match }) => {
      const text = prompt === '' ? '' : textToHtml(prompt)
      return `    <subquestion format="html"><text>${escapeXml(text)}</text><answer><text>${escapeXml(match)}</text></answer></subquestion>\n`
    })
    .join('')
}

function writeItems(question: ExportedQuestion): string {
  return itemsOf(question)
    .map(
      (item, index) =>
        `    <answer fraction="${index + 1}" format="html"><text>${escapeXml(textToHtml(item))}</text></answer>\n`,
    )
    .join('')
}
