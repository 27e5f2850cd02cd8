import { withoutMarks } from '../markdown/from-markdown.ts'
import type {
  Choice,
  ExportedItem,
  Image,
  Matching,
  NumberEntry,
  Ordering,
  Question,
  Task,
  TextEntry,
} from '../question.ts'
import { withWildcardsEscaped } from '../tasks.ts'
import { encodePath } from '../texts/addresses.ts'
import { textToHtml } from '../texts/rich-text.ts'
import { isDrawn } from '../variables/places.ts'
import { escapeXml } from '../xml.ts'
import { CalculatedWriter } from './calculated-writer.ts'
import { writeCloze } from './cloze.ts'
import { inMoodleOrder, toPercentage } from './moodle-rules.ts'

/** The names that Moodle has for them. */
const TYPES: Record<Task['kind'], string> = {
  choice: 'multichoice',
  number: 'numerical',
  text: 'shortanswer',
  matching: 'matching',
  ordering: 'ordering',
  gaps: 'cloze',
}

const CALCULATED: Partial<Record<Task['kind'], string>> = { choice: 'calculatedmulti', number: 'calculated' }
/** What Moodle's importer reads of each answer, also of an option, which has no use for it. */
const UNUSED =
  '<tolerance>0</tolerance><tolerancetype>1</tolerancetype><correctanswerformat>1</correctanswerformat><correctanswerlength>2</correctanswerlength>'
const WITHOUT_UNITS =
  '    <unitgradingtype>0</unitgradingtype><unitpenalty>0.1</unitpenalty><showunits>3</showunits><unitsleft>0</unitsleft>\n'

/** How a text becomes HTML. */
type ToHtml = (text: string, place?: 'text' | 'option') => string

/** Questions for which `isMoodle` holds. The format has no place for negative marks. */
export async function* writeMoodleXml(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
  for await (const item of items) yield writeQuestion(item, await item.readImage?.())
  yield '</quiz>\n'
}

function writeQuestion({ name, question, draws }: ExportedItem, image: Image | undefined): string {
  const { kind, explanation, tags, marks = '1' } = question
  const calculated = isDrawn(question) ? new CalculatedWriter(question, draws?.() ?? []) : undefined
  const toHtml: ToHtml = (text, place) =>
    calculated?.writeText(text, (plain) => textToHtml(plain, place)) ?? textToHtml(text, place)
  const picture =
    image && `<p><img src="@@PLUGINFILE@@/${encodePath(image.name)}" alt="${escapeXml(image.alt ?? '')}"></p>`
  const feedback = explanation === '' ? '' : writeText('generalfeedback', toHtml(explanation))
  const named = tags.map((tag) => `<tag><text>${escapeXml(tag)}</text></tag>`).join('')
  const stem = writeStem(question, toHtml)
  const answers = calculated ? writeCalculated(question, calculated, toHtml) : writeAnswers(question, toHtml)
  return `  <question type="${calculated ? CALCULATED[kind] : TYPES[kind]}">
    <name><text>${escapeXml(name)}</text></name>
    <questiontext format="html">
      <text>${escapeXml(stem + (picture ?? ''))}</text>
${image ? writeFile(image) : ''}    </questiontext>
${feedback}    <defaultgrade>${marks}</defaultgrade>
${answers}${named && `    <tags>${named}</tags>\n`}  </question>
`
}

function writeStem(question: Question, toHtml: ToHtml): string {
  return question.kind === 'gaps'
    ? writeCloze(question.text, question.gaps, question.marks)
    : toHtml(question.text)
}

/** Questions for which `canBeCalculated` holds. */
function writeCalculated(question: Question, calculated: CalculatedWriter, toHtml: ToHtml): string {
  const answers =
    question.kind === 'number' ? calculated.writeAnswer(question) : writeAnswers(question, toHtml, UNUSED)
  return `    <synchronize>0</synchronize>\n${answers}${WITHOUT_UNITS}${calculated.writeDatasets()}`
}

function writeAnswers(task: Task, toHtml: ToHtml, more = ''): string {
  switch (task.kind) {
    case 'choice':
      return writeChoices(task, toHtml, more)
    case 'number':
      return writeNumeric(task)
    case 'text':
      return writeTexts(task)
    case 'matching':
      return writePairs(task)
    case 'ordering':
      return writeItems(task)
    case 'gaps':
      // The key stands in the text.
      return ''
  }
}

function writeFile({ name, bytes }: Image): string {
  const slash = name.lastIndexOf('/')
  const folder = escapeXml(`/${name.slice(0, slash + 1)}`)
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  return `      <file name="${escapeXml(name.slice(slash + 1))}" path="${folder}" encoding="base64">${base64}</file>\n`
}

function writeText(element: string, html: string): string {
  return `    <${element} format="html"><text>${escapeXml(html)}</text></${element}>\n`
}

function writeChoices({ multiple, options }: Choice, toHtml: ToHtml, more: string): string {
  const right = options.filter(({ isRight }) => isRight).length
  const fraction = (isRight: boolean) => {
    if (isRight) return Number((100 / right).toFixed(5))
    // One wrong choice costs all marks, as it does here.
    return multiple && right > 0 ? -100 : 0
  }
  const answers = options.map(
    ({ text, isRight }) =>
      `    <answer fraction="${fraction(isRight)}" format="html"><text>${escapeXml(toHtml(text, 'option'))}</text>${more}</answer>\n`,
  )
  return `    <single>${!multiple}</single>\n    <shuffleanswers>false</shuffleanswers>\n${answers.join('')}`
}

function writeNumeric({ key, tolerance }: NumberEntry): string {
  if (key === '') return ''
  return `    <answer fraction="100" format="moodle_auto_format"><text>${escapeXml(key)}</text><tolerance>${tolerance}</tolerance></answer>\n`
}

function writeTexts({ accepted }: TextEntry): string {
  const answers = inMoodleOrder(accepted).map(
    ({ text, percent }) =>
      `    <answer fraction="${toPercentage(Number(percent)) ?? percent}" format="moodle_auto_format"><text>${escapeXml(withWildcardsEscaped(text))}</text></answer>\n`,
  )
  return `    <usecase>0</usecase>\n${answers.join('')}`
}

function writePairs({ pairs, distractors }: Matching): string {
  return [...pairs, ...distractors.map((match) => ({ prompt: '', match }))]
    .map(({ prompt, match }) => {
      const text = prompt === '' ? '' : textToHtml(prompt, 'option')
      return `    <subquestion format="html"><text>${escapeXml(text)}</text><answer><text>${escapeXml(withoutMarks(match, 'option'))}</text></answer></subquestion>\n`
    })
    .join('')
}

/** Without the first of these Moodle ends the import; by default it draws six of the items, and marks by neighbours. */
const settingsOf = ({ length }: readonly string[]) => `    <shownumcorrect/>
    <layouttype>VERTICAL</layouttype>
    <selecttype>ALL</selecttype>
    <selectcount>${length}</selectcount>
    <gradingtype>ABSOLUTE_POSITION</gradingtype>
    <showgrading>SHOW</showgrading>
    <numberingstyle>none</numberingstyle>
`

function writeItems({ items }: Ordering): string {
  const answers = items
    .map(
      (item, index) =>
        `    <answer fraction="${index + 1}" format="html"><text>${escapeXml(textToHtml(item, 'option'))}</text></answer>\n`,
    )
    .join('')
  return settingsOf(items) + answers
}
