import { type Draft, type Items, joinTexts, NoQuestion, onlyImage, Skip, withoutImages } from '../items.ts'
import type { NumberEntry, Task } from '../question.ts'
import { toChoice } from '../tasks.ts'
import { elementsToText } from '../texts/rich-text.ts'
import { childOf, childrenOf, descendants, readElements, textOf, type XmlElement } from '../xml.ts'
import { readGapMatch, readGaps, readMatch, readOrder, readShort } from './qti-2-interactions.ts'
import {
  ASIDE,
  correctValues,
  declarationOf,
  givesParts,
  isMapped,
  isScoredTogether,
  mappedValues,
  readTolerance,
  withoutAsides,
} from './qti-2-scoring.ts'

const UNKNOWN_TYPES: Record<string, string> = {
  associateInteraction: 'it asks for pairs of one list',
  extendedTextInteraction: 'it asks for an essay',
  uploadInteraction: 'it asks for a file',
}

/** Items of QTI 2.0, 2.1 and 2.2, and of 3.0, which has other names for the same. */
export function* readQti2(text: string, items: Items, fileName: string) {
  for (const element of readElements(text, new Set(['assessmentItem', 'qti-assessment-item']))) {
    const item = element.name === 'assessmentItem' ? element : renamed(element)
    yield items.read(item.attributes.title || item.attributes.identifier || fileName, () => readItem(item))
  }
}

/** `qti-simple-choice max-choices` is `simpleChoice maxChoices`. */
function renamed(element: XmlElement): XmlElement {
  const ours = element.name.startsWith('qti-')
  return {
    name: ours ? camelCase(element.name.slice(4)) : element.name,
    attributes: ours
      ? Object.fromEntries(
          Object.entries(element.attributes).map(([name, value]) => [camelCase(name), value]),
        )
      : element.attributes,
    children: element.children.map((child) => (typeof child === 'string' ? child : renamed(child))),
  }
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Interactions that can be one of several gaps; a choice among options is one where only one can be chosen. */
const GAPS = new Set(['textEntryInteraction', 'inlineChoiceInteraction', 'choiceInteraction'])
/** What stands in an interaction besides the text around its places. */
const NO_TEXT = new Set(['prompt', 'gapText', 'gapImg'])

function readItem(item: XmlElement): Draft {
  const body = childOf(item, 'itemBody')
  // Those that end an attempt are buttons, for a hint or a solution: they ask nothing.
  const interactions = [...descendants(body)].filter(
    ({ name }) => name.endsWith('Interaction') && name !== 'endAttemptInteraction',
  )
  const [interaction, ...more] = interactions
  if (!body || !interaction) throw new NoQuestion('it asks nothing (description)')
  const areGaps = interactions.every(({ name }) => GAPS.has(name))
  if (more.length > 0 && !areGaps) throw new Skip('it has several parts')
  if (more.length > 0 && item.attributes.adaptive === 'true')
    throw new Skip('its parts depend on what was answered before')
  if (childrenOf(item, 'templateDeclaration').length > 0)
    throw new Skip('its numbers are drawn anew for each student')
  const marks = readMaximum(item)
  const gapMatch = interaction.name === 'gapMatchInteraction' ? [...descendants(interaction, 'gap')] : []
  const places =
    gapMatch.length > 0
      ? gapMatch
      : more.length > 0 ||
          interaction.name === 'inlineChoiceInteraction' ||
          interaction.attributes.class === 'gap'
        ? interactions
        : []
  const stem = elementsToText(replaceInteractions(body, interaction, places).children)
  if (places.length > 0 && isScoredTogether(childOf(item, 'responseProcessing')))
    throw new Skip('its gaps bring marks only together')
  const task =
    gapMatch.length > 0
      ? readGapMatch(item, interaction, gapMatch)
      : places.length > 0
        ? readGaps(item, places)
        : readInteraction(item, interaction)
  return {
    question: {
      ...task,
      text: stem.text,
      explanation: readExplanation(item, interaction),
      tags: [],
      marks,
    },
    imageAddress: onlyImage(stem.images),
  }
}

/**
 * The body without asides. `places` become the marks of gaps; another interaction becomes its prompt and the text that
 * it has, or within a line a blank to write on.
 */
function replaceInteractions(
  element: XmlElement,
  interaction: XmlElement,
  places: readonly XmlElement[],
): XmlElement {
  const alone = element.children.every(
    (child) => child === interaction || (typeof child === 'string' && child.trim() === ''),
  )
  return {
    ...element,
    children: element.children.flatMap((child): (XmlElement | string)[] => {
      if (typeof child === 'string') return [child]
      if (ASIDE.has(child.name) || child.name === 'endAttemptInteraction') return []
      const prompt = childOf(child, 'prompt')
      const asked = prompt ? [paragraph(prompt.children)] : []
      const place = places.indexOf(child)
      if (place >= 0) {
        const mark = `[[${place + 1}]]`
        return child.name === 'choiceInteraction' ? [...asked, paragraph([mark])] : [mark]
      }
      if (child !== interaction) return [replaceInteractions(child, interaction, places)]
      if (child.name === 'gapMatchInteraction' || child.name === 'hottextInteraction') {
        const text = child.children.filter((each) => typeof each === 'string' || !NO_TEXT.has(each.name))
        return [...asked, replaceInteractions({ ...child, name: 'div', children: text }, interaction, places)]
      }
      if (prompt) return asked
      return child.name === 'textEntryInteraction' && !alone && element.name !== 'itemBody' ? [' _____ '] : []
    }),
  }
}

const paragraph = (children: XmlElement['children']): XmlElement => ({ name: 'p', attributes: {}, children })

/** Feedback that is shown to everybody or to those who are right, and that of the one right choice. */
function readExplanation(item: XmlElement, interaction: XmlElement): string {
  const modal = childrenOf(item, 'modalFeedback').filter(
    ({ attributes }) => !/incorrect|wrong|false|hint/i.test(attributes.identifier ?? ''),
  )
  const right = correctValues(declarationOf(item, interaction))
  const own = childrenOf(interaction, 'simpleChoice')
    .filter(({ attributes }) => right.length === 1 && right[0] === attributes.identifier)
    .flatMap((choice) => [...descendants(choice, 'feedbackInline', 'feedbackBlock')])
  return joinTexts([...modal, ...own].map((feedback) => elementsToText(feedback.children).text))
}

function readInteraction(item: XmlElement, interaction: XmlElement): Task {
  const declaration = declarationOf(item, interaction)
  switch (interaction.name) {
    case 'choiceInteraction':
      return readChoices(item, interaction, declaration)
    // Marking words is choosing them.
    case 'hottextInteraction':
      return readChoices(item, interaction, declaration)
    case 'sliderInteraction':
      return readNumber(item, declaration)
    case 'textEntryInteraction':
      return /^(float|integer)$/.test(declaration?.attributes.baseType ?? '')
        ? readNumber(item, declaration)
        : readShort(item, interaction)
    case 'matchInteraction':
      return readMatch(item, interaction)
    case 'orderInteraction':
      return readOrder(item, interaction)
    default:
      throw new Skip(
        UNKNOWN_TYPES[interaction.name] ??
          `it asks for something that has no type here (${interaction.name.slice(0, 40)})`,
      )
  }
}

function readChoices(item: XmlElement, interaction: XmlElement, declaration: XmlElement | undefined): Task {
  const cardinality =
    declaration?.attributes.cardinality ?? (interaction.attributes.maxChoices === '1' ? 'single' : 'multiple')
  const multiple = cardinality === 'multiple'
  if (!multiple && cardinality !== 'single') throw new Skip('it asks for an order')
  const choices = [...descendants(interaction, 'simpleChoice', 'hottext')]
  const shares = findShares(item, declaration, multiple)
  return toChoice(
    choices.map((choice) => ({
      text: withoutImages(elementsToText(withoutAsides(choice).children)),
      share: shares.get(choice.attributes.identifier ?? '') ?? 0,
    })),
    multiple,
  )
}

/** The part of the full marks that each choice brings, by its identifier. */
function findShares(
  item: XmlElement,
  declaration: XmlElement | undefined,
  multiple: boolean,
): Map<string, number> {
  const correct = correctValues(declaration)
  const mapped = mappedValues(declaration).map(({ key, value }) => [key, value] as const)
  const processing = childOf(item, 'responseProcessing')
  if (mapped.length > 0 && (isMapped(item) || correct.length === 0)) {
    const gains = mapped.map(([, value]) => Math.max(0, value))
    const full = multiple ? gains.reduce((sum, gain) => sum + gain, 0) : Math.max(...gains)
    return new Map(mapped.map(([key, value]) => [key, full > 0 ? value / full : 0]))
  }
  if (givesParts(processing)) throw new Skip('its scoring gives part of the marks for some answers')
  return new Map(correct.map((value) => [value, multiple ? 1 / correct.length : 1]))
}

function readNumber(item: XmlElement, declaration: XmlElement | undefined): NumberEntry {
  const processing = childOf(item, 'responseProcessing')
  if (
    [...descendants(processing, 'equalRounded', 'patternMatch', 'stringMatch')].length > 0 ||
    givesParts(processing)
  )
    throw new Skip('the way in which its answers are compared has no equivalent here')
  const values = correctValues(declaration)
  const entries = childrenOf(childOf(declaration, 'mapping'), 'mapEntry').filter(
    ({ attributes }) => Number(attributes.mappedValue) > 0,
  )
  const known = new Set([...values, ...entries.map(({ attributes }) => attributes.mapKey ?? '')])
  if (known.size > 1) throw new Skip('several numbers bring marks')
  const [value = ''] = known
  return {
    kind: 'number',
    key: value,
    tolerance: readTolerance(item),
  }
}

function readMaximum(item: XmlElement): string | undefined {
  const outcomes = childrenOf(item, 'outcomeDeclaration')
  const find = (name: string) => outcomes.find(({ attributes }) => attributes.identifier === name)
  const maximum =
    find('SCORE')?.attributes.normalMaximum ??
    textOf(childOf(find('MAXSCORE'), 'defaultValue', 'value')).trim()
  return maximum === '' ? undefined : maximum
}
