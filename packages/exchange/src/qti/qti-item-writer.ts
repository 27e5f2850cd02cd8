import { type Place, toHtml, toPlainText, withoutMarks } from '../markdown/from-markdown.ts'
import { parseDecimal, writeDecimal } from '../numbers/decimals.ts'
import type {
  Accepted,
  Choice,
  Gap,
  Gaps,
  Matching,
  NumberEntry,
  Ordering,
  Question,
  TextEntry,
} from '../question.ts'
import { PLAIN } from '../texts/rich-text.ts'
import { escapeXml } from '../xml.ts'
import { DRAWN } from './template-writer.ts'

/** What a question becomes in an item of QTI 2.1; the names of 3.0 are made of it. */
interface ItemParts {
  declarations: string[]
  /** The question's text, where it isn't as it is written. */
  text?: string
  body: string
  /** Sets SCORE; '' without a key. */
  processing: string
  /** Outcomes besides SCORE. */
  outcomes?: string
}

/** The parts of the item that depend on what is asked. */
export function writeParts(question: Question): ItemParts {
  const { marks = '1' } = question
  switch (question.kind) {
    case 'choice':
      return writeChoices(question, marks)
    case 'number':
      return writeNumber(question, marks)
    case 'text':
      return writeShort(question, marks)
    case 'matching':
      return writeMatch(question, marks)
    case 'ordering':
      return writeOrder(question, marks)
    case 'gaps':
      return writeGaps(question, question.text, marks)
  }
}

/** A paragraph with line breaks, or preformatted text if blanks count; with the elements of the text's marks. */
export function writeBlock(source: string, place: Place = 'text'): string {
  const text = toPlainText(source, place)
  if (text === undefined) return toHtml(source, { write: escapeXml, paragraph: '<p>' }, place)
  if (/[^\S\n]{2}|[^\S\n ]|^[^\S\n]|[^\S\n]$/m.test(text))
    return `<pre class="${PLAIN}">${escapeXml(text)}</pre>`
  return `<p>${text.split('\n').map(escapeXml).join('<br/>')}</p>`
}

interface ResponseDeclaration {
  name?: string
  cardinality?: 'single' | 'multiple' | 'ordered'
  baseType: 'identifier' | 'string' | 'float' | 'directedPair'
  correct: readonly string[]
  mapping?: string
}

function declare({
  name = 'RESPONSE',
  cardinality = 'single',
  baseType,
  correct,
  mapping = '',
}: ResponseDeclaration) {
  const values = correct
    .filter((value) => value !== DRAWN)
    .map((value) => `<value>${escapeXml(value)}</value>`)
    .join('')
  const right = values && `<correctResponse>${values}</correctResponse>`
  return `<responseDeclaration identifier="${name}" cardinality="${cardinality}" baseType="${baseType}">${right}${mapping}</responseDeclaration>`
}

const variable = (name: string) => `<variable identifier="${name}"/>`
const number = (value: number | string) => `<baseValue baseType="float">${value}</baseValue>`
const set = (outcome: string, value: string) =>
  `<setOutcomeValue identifier="${outcome}">${value}</setOutcomeValue>`
const ifTrue = (condition: string, then: string) =>
  `<responseCondition><responseIf>${condition}${then}</responseIf></responseCondition>`
const isRight = (name: string) => `<match>${variable(name)}<correct identifier="${name}"/></match>`
const isNear = (name: string, tolerance: string) =>
  `<equal toleranceMode="absolute" tolerance="${tolerance} ${tolerance}">${variable(name)}<correct identifier="${name}"/></equal>`

/** A, B, … Z, then C27 and so on. */
const nameOption = (index: number) => (index < 26 ? String.fromCharCode(65 + index) : `C${index + 1}`)

function writeChoices({ multiple, options }: Choice, marks: string): ItemParts {
  const choices = options.map(
    ({ text, isFixed }, index) =>
      `<simpleChoice identifier="${nameOption(index)}"${isFixed ? ' fixed="true"' : ''}>${writeBlock(text, 'option')}</simpleChoice>`,
  )
  const correct = options.flatMap(({ isRight }, index) => (isRight ? [nameOption(index)] : []))
  const cardinality = multiple ? 'multiple' : 'single'
  return {
    declarations: [declare({ cardinality, baseType: 'identifier', correct })],
    body: `<choiceInteraction responseIdentifier="RESPONSE" shuffle="${options.some(({ isFixed }) => isFixed)}" maxChoices="${multiple ? 0 : 1}">${choices.join('')}</choiceInteraction>`,
    processing: correct.length === 0 ? '' : ifTrue(isRight('RESPONSE'), set('SCORE', number(marks))),
  }
}

function writeNumber({ key, tolerance }: NumberEntry, marks: string): ItemParts {
  return {
    declarations: [declare({ baseType: 'float', correct: key === '' ? [] : [key] })],
    body: '<p><textEntryInteraction responseIdentifier="RESPONSE"/></p>',
    processing: key === '' ? '' : ifTrue(isNear('RESPONSE', tolerance), set('SCORE', number(marks))),
  }
}

function writeShort({ accepted }: TextEntry, marks: string): ItemParts {
  return {
    declarations: [declareTexts('RESPONSE', accepted)],
    body: '<p><textEntryInteraction responseIdentifier="RESPONSE"/></p>',
    processing:
      accepted.length === 0
        ? ''
        : set('SCORE', `<product><mapResponse identifier="RESPONSE"/>${number(marks)}</product>`),
  }
}

/** Accepted texts with their parts of the whole; the bound says what the whole is. */
function declareTexts(name: string, accepted: readonly Accepted[]): string {
  const texts = bestOfEach(accepted).map(({ text, percent }) => ({
    text: text.trim(),
    part: hundredth(percent),
  }))
  const entries = texts.map(
    ({ text, part }) => `<mapEntry mapKey="${escapeXml(text)}" mappedValue="${part}" caseSensitive="false"/>`,
  )
  const best = texts.toSorted((one, other) => Number(other.part) - Number(one.part)).slice(0, 1)
  const mapping =
    entries.length === 0 ? '' : `<mapping upperBound="1" defaultValue="0">${entries.join('')}</mapping>`
  return declare({ name, baseType: 'string', correct: best.map(({ text }) => text), mapping })
}

/** Each text once, since only the first entry of a text counts, with the best that it brings. */
function bestOfEach(accepted: readonly Accepted[]): Accepted[] {
  const best = new Map<string, Accepted>()
  for (const each of accepted) {
    const name = each.text.trim().toLowerCase()
    if (Number(each.percent) > Number(best.get(name)?.percent ?? 0)) best.set(name, each)
  }
  return [...best.values()]
}

function hundredth(percent: string): string {
  const { digits, scale } = parseDecimal(percent) ?? { digits: 100n, scale: 0 }
  return writeDecimal({ digits, scale: scale + 2 })
}

function writeMatch({ pairs, distractors }: Matching, marks: string): ItemParts {
  const choices = [...new Set([...pairs.map(({ match }) => match), ...distractors])]
  const associable = (id: string, text: string, most: number) =>
    `<simpleAssociableChoice identifier="${id}" matchMax="${most}">${writeBlock(text, 'option')}</simpleAssociableChoice>`
  const correct = pairs.map(({ match }, index) => `P${index + 1} C${choices.indexOf(match) + 1}`)
  const entries = correct.map((pair) => `<mapEntry mapKey="${pair}" mappedValue="1"/>`).join('')
  return {
    declarations: [
      declare({
        cardinality: 'multiple',
        baseType: 'directedPair',
        correct,
        mapping: `<mapping defaultValue="0">${entries}</mapping>`,
      }),
    ],
    body: `<matchInteraction responseIdentifier="RESPONSE" shuffle="true" maxAssociations="${pairs.length}"><simpleMatchSet>${pairs.map(({ prompt }, index) => associable(`P${index + 1}`, prompt, 1)).join('')}</simpleMatchSet><simpleMatchSet>${choices.map((choice, index) => associable(`C${index + 1}`, choice, 0)).join('')}</simpleMatchSet></matchInteraction>`,
    processing: set('SCORE', share('<mapResponse identifier="RESPONSE"/>', marks, pairs.length)),
  }
}

/** This many of `count` equal parts of the marks. */
function share(parts: string, marks: string, count: number): string {
  return `<divide><product>${parts}${number(marks)}</product>${number(count)}</divide>`
}

function writeOrder({ items }: Ordering, marks: string): ItemParts {
  const choices = items.map(
    (item, index) => `<simpleChoice identifier="I${index + 1}">${writeBlock(item, 'option')}</simpleChoice>`,
  )
  return {
    declarations: [
      declare({
        cardinality: 'ordered',
        baseType: 'identifier',
        correct: items.map((_item, index) => `I${index + 1}`),
      }),
    ],
    body: `<orderInteraction responseIdentifier="RESPONSE" shuffle="true">${choices.join('')}</orderInteraction>`,
    processing: ifTrue(isRight('RESPONSE'), set('SCORE', number(marks))),
  }
}

function writeGaps({ gaps }: Gaps, text: string, marks: string): ItemParts {
  const written = gaps.map((gap, index) => writeGap(gap, `RESPONSE${index + 1}`))
  const rules = written.map(({ processing }) => processing).join('')
  return {
    declarations: written.map(({ declarations }) => declarations.join('')),
    outcomes:
      '<outcomeDeclaration identifier="RIGHT" cardinality="single" baseType="float"><defaultValue><value>0</value></defaultValue></outcomeDeclaration>',
    text: writeBlock(text).replace(
      /\[\[(\d+)\]\]/g,
      (mark, digits: string) => written[Number(digits) - 1]?.body ?? mark,
    ),
    body: '',
    processing: `${rules}${set('SCORE', share(variable('RIGHT'), marks, gaps.length))}`,
  }
}

function writeGap(gap: Gap, name: string): ItemParts {
  // The class tells a text with one gap from a question that asks for one text.
  const entry = `<textEntryInteraction class="gap" responseIdentifier="${name}"/>`
  const add = (part: string) => set('RIGHT', `<sum>${variable('RIGHT')}${part}</sum>`)
  switch (gap.kind) {
    case 'text':
      return {
        declarations: [declareTexts(name, gap.accepted)],
        body: entry,
        processing: add(`<mapResponse identifier="${name}"/>`),
      }
    case 'number':
      return {
        declarations: [declare({ name, baseType: 'float', correct: [gap.key] })],
        body: entry,
        processing: ifTrue(isNear(name, gap.tolerance), add(number(1))),
      }
    case 'choice': {
      const choices = gap.choices.map(
        (choice, index) =>
          `<inlineChoice identifier="C${index + 1}">${escapeXml(withoutMarks(choice, 'option'))}</inlineChoice>`,
      )
      return {
        declarations: [declare({ name, baseType: 'identifier', correct: [`C${gap.correct + 1}`] })],
        body: `<inlineChoiceInteraction responseIdentifier="${name}" shuffle="true">${choices.join('')}</inlineChoiceInteraction>`,
        processing: ifTrue(isRight(name), add(number(1))),
      }
    }
  }
}
