import type { QuestionType } from '../../../../schemas/common.ts'
import type { Gap } from '../../../../schemas/parts.schemas.ts'
import { parseDecimal, writeDecimal } from '../../../formats/decimals.ts'
import { gapsOf } from '../kinds/gaps.ts'
import { pairsOf } from '../kinds/matching.ts'
import { itemsOf } from '../kinds/ordering.ts'
import { type ExportedQuestion, listOptions } from './exchange-item.ts'
import { escapeXml } from './xml.ts'

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

const WRITERS: Record<QuestionType, (question: ExportedQuestion) => ItemParts> = {
  MCQ: (question) => writeChoices(question, 'single'),
  MSQ: (question) => writeChoices(question, 'multiple'),
  NUMERIC: writeNumber,
  SHORT: writeShort,
  MATCHING: writeMatch,
  ORDERING: writeOrder,
  GAPS: writeGaps,
}

/** The parts of the item that depend on the question's type. */
export function writeParts(question: ExportedQuestion): ItemParts {
  return WRITERS[question.question_type](question)
}

/** A paragraph with line breaks, or preformatted text if blanks count. */
export function writeBlock(text: string): string {
  if (/[^\S\n]{2}|[^\S\n ]|^[^\S\n]|[^\S\n]$/m.test(text)) return `<pre>${escapeXml(text)}</pre>`
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
  const values = correct.map((value) => `<value>${escapeXml(value)}</value>`).join('')
  const right = values && `<correctResponse>${values}</correctResponse>`
  return `<responseDeclaration identifier="${name}" cardinality="${cardinality}" baseType="${baseType}">${right}${mapping}</responseDeclaration>`
}

const variable = (name: string) => `<variable identifier="${name}"/>`
const number = (value: number) => `<baseValue baseType="float">${value}</baseValue>`
const set = (outcome: string, value: string) =>
  `<setOutcomeValue identifier="${outcome}">${value}</setOutcomeValue>`
const ifTrue = (condition: string, then: string) =>
  `<responseCondition><responseIf>${condition}${then}</responseIf></responseCondition>`
const isRight = (name: string) => `<match>${variable(name)}<correct identifier="${name}"/></match>`
const isNear = (name: string, tolerance: number | string) =>
  `<equal toleranceMode="absolute" tolerance="${tolerance} ${tolerance}">${variable(name)}<correct identifier="${name}"/></equal>`

function writeChoices(question: ExportedQuestion, cardinality: 'single' | 'multiple'): ItemParts {
  const { correct_answer: key, positive_marks: marks } = question
  const choices = listOptions(question).map(
    ({ letter, text }) => `<simpleChoice identifier="${letter}">${writeBlock(text)}</simpleChoice>`,
  )
  const correct = key === '' ? [] : key.split(',')
  return {
    declarations: [declare({ cardinality, baseType: 'identifier', correct })],
    body: `<choiceInteraction responseIdentifier="RESPONSE" shuffle="false" maxChoices="${cardinality === 'single' ? 1 : 0}">${choices.join('')}</choiceInteraction>`,
    processing: key === '' ? '' : ifTrue(isRight('RESPONSE'), set('SCORE', number(marks))),
  }
}

function writeNumber({ correct_answer: key, tolerance, positive_marks: marks }: ExportedQuestion): ItemParts {
  return {
    declarations: [declare({ baseType: 'float', correct: key === '' ? [] : [key] })],
    body: '<p><textEntryInteraction responseIdentifier="RESPONSE"/></p>',
    processing: key === '' ? '' : ifTrue(isNear('RESPONSE', tolerance), set('SCORE', number(marks))),
  }
}

function writeShort({ correct_answer: key, positive_marks: marks }: ExportedQuestion): ItemParts {
  const lines = key === '' ? [] : key.split('\n')
  return {
    declarations: [declareTexts('RESPONSE', lines)],
    body: '<p><textEntryInteraction responseIdentifier="RESPONSE"/></p>',
    processing:
      key === ''
        ? ''
        : set('SCORE', `<product><mapResponse identifier="RESPONSE"/>${number(marks)}</product>`),
  }
}

/** Accepted texts with their parts of the whole; the bound says what the whole is. */
function declareTexts(name: string, lines: readonly string[]): string {
  const texts = lines.map((line) => {
    const [, percent = '100', text = line] = /^%([^%]*)%(.*)$/s.exec(line) ?? []
    return { text: text.trim(), part: hundredth(percent) }
  })
  const entries = texts.map(
    ({ text, part }) => `<mapEntry mapKey="${escapeXml(text)}" mappedValue="${part}" caseSensitive="false"/>`,
  )
  const best = texts.toSorted((one, other) => Number(other.part) - Number(one.part)).slice(0, 1)
  const mapping =
    entries.length === 0 ? '' : `<mapping upperBound="1" defaultValue="0">${entries.join('')}</mapping>`
  return declare({ name, baseType: 'string', correct: best.map(({ text }) => text), mapping })
}

function hundredth(percent: string): string {
  const { digits, scale } = parseDecimal(percent) ?? { digits: 100n, scale: 0 }
  return writeDecimal({ digits, scale: scale + 2 })
}

function writeMatch(question: ExportedQuestion): ItemParts {
  const { pairs, distractors } = pairsOf(question)
  const choices = [...new Set([...pairs.map(({ match }) => match), ...distractors])]
  const associable = (id: string, text: string, most: number) =>
    `<simpleAssociableChoice identifier="${id}" matchMax="${most}">${writeBlock(text)}</simpleAssociableChoice>`
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
    processing: set(
      'SCORE',
      share('<mapResponse identifier="RESPONSE"/>', question.positive_marks, pairs.length),
    ),
  }
}

/** This many of `count` equal parts of the marks. */
function share(parts: string, marks: number, count: number): string {
  return `<divide><product>${parts}${number(marks)}</product>${number(count)}</divide>`
}

function writeOrder(question: ExportedQuestion): ItemParts {
  const items = itemsOf(question)
  const choices = items.map(
    (item, index) => `<simpleChoice identifier="I${index + 1}">${writeBlock(item)}</simpleChoice>`,
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
    processing: ifTrue(isRight('RESPONSE'), set('SCORE', number(question.positive_marks))),
  }
}

function writeGaps(question: ExportedQuestion): ItemParts {
  const { question_text, positive_marks: marks } = question
  const gaps = gapsOf(question)
  const written = gaps.map((gap, index) => writeGap(gap, `RESPONSE${index + 1}`))
  const rules = written.map(({ processing }) => processing).join('')
  return {
    declarations: written.map(({ declarations }) => declarations.join('')),
    outcomes:
      '<outcomeDeclaration identifier="RIGHT" cardinality="single" baseType="float"><defaultValue><value>0</value></defaultValue></outcomeDeclaration>',
    text: writeBlock(question_text).replace(
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
        declarations: [declare({ name, baseType: 'float', correct: [String(gap.key)] })],
        body: entry,
        processing: ifTrue(isNear(name, gap.tolerance), add(number(1))),
      }
    case 'choice': {
      const choices = gap.choices.map(
        (choice, index) => `<inlineChoice identifier="C${index + 1}">${escapeXml(choice)}</inlineChoice>`,
      )
      return {
        declarations: [declare({ name, baseType: 'identifier', correct: [`C${gap.correct + 1}`] })],
        body: `<inlineChoiceInteraction responseIdentifier="${name}" shuffle="true">${choices.join('')}</inlineChoiceInteraction>`,
        processing: ifTrue(isRight(name), add(number(1))),
      }
    }
  }
}
