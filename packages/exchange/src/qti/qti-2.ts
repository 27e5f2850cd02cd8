import { type Draft, type Items, joinTexts, NoQuestion, onlyImage, Skip, WITHOUT_KEY } from '../items.ts'
import { elementsToText, type RichText } from '../texts/rich-text.ts'
import { childOf, childrenOf, descendants, readElements, textOf, type XmlElement } from '../xml.ts'
import { isShown, readGapMatch, readGaps, readInteraction, withoutAsides } from './qti-2-interactions.ts'
import { correctValues, declarationOf, readScoring } from './qti-2-scoring.ts'
import { readWithVariables } from './templates.ts'

/** Items of QTI 2.0, 2.1 and 2.2, and of 3.0, which has other names for the same. */
export function* readQti2(text: string, items: Items, fileName: string) {
  for (const element of readElements(text, new Set(['assessmentItem', 'qti-assessment-item']))) {
    const isOlder = element.name === 'assessmentItem'
    const item = isOlder ? element : renamed(element)
    const name = item.attributes.title || item.attributes.identifier || fileName
    const read = (each: XmlElement) => readItem(each, isOlder)
    const isDrawn = childrenOf(item, 'templateDeclaration').length > 0
    yield items.read(name, () => (isDrawn ? readWithVariables(item, read) : read(item)))
  }
}

/** The text of a document that several items ask about. */
export function readPassage(text: string): RichText {
  const [element] = readElements(text, new Set(['assessmentStimulus', 'qti-assessment-stimulus']))
  const body = element && childOf(renamed(element), 'stimulusBody')
  return elementsToText(body ? withoutAsides(body).children : [])
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

/** `isMapCaseSensitive` is what 2 has where it says nothing; 3 has the opposite. */
function readItem(item: XmlElement, isMapCaseSensitive: boolean): Draft {
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
  const scoring = readScoring(item, isMapCaseSensitive)
  const { task, lost } =
    gapMatch.length > 0
      ? readGapMatch(interaction, gapMatch, scoring)
      : places.length > 0
        ? readGaps(item, places, scoring)
        : readInteraction(item, interaction, scoring)
  return {
    question: {
      ...task,
      text: stem.text,
      explanation: readExplanation(item, interaction),
      tags: [],
      marks,
    },
    imageAddress: onlyImage(stem.images),
    imageAlt: stem.alt,
    passages: childrenOf(item, 'assessmentStimulusRef').map(({ attributes }) => attributes.href ?? ''),
    lost: scoring ? lost : [WITHOUT_KEY],
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
      if (!isShown(child) || child.name === 'endAttemptInteraction') return []
      if (child.name === 'rubricBlock')
        return [replaceInteractions({ ...child, name: 'div' }, interaction, places)]
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

function readMaximum(item: XmlElement): string | undefined {
  const outcomes = childrenOf(item, 'outcomeDeclaration')
  const find = (name: string) => outcomes.find(({ attributes }) => attributes.identifier === name)
  const maximum =
    find('SCORE')?.attributes.normalMaximum ??
    textOf(childOf(find('MAXSCORE'), 'defaultValue', 'value')).trim()
  return maximum === '' ? undefined : maximum
}
