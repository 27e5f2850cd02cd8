import { childOf, childrenOf, descendants, readElements, textOf, type XmlElement } from '../files/xml.ts'
import { type Draft, type Items, onlyImage, Skip, toChoiceQuestion, withoutImages } from '../item.ts'
import { elementsToText } from '../markup/rich-text.ts'

/** Elements that are shown only after an answer, or not to students. */
const ASIDE = new Set([
  'feedbackBlock',
  'feedbackInline',
  'modalFeedback',
  'rubricBlock',
  'templateBlock',
  'stylesheet',
  'catalogInfo',
])

const UNKNOWN_TYPES: Record<string, string> = {
  associateInteraction: 'it asks to match pairs',
  extendedTextInteraction: 'it asks for an essay',
  gapMatchInteraction: 'it asks to fill gaps',
  hottextInteraction: 'it asks to mark words',
  inlineChoiceInteraction: 'it asks to choose within a text',
  matchInteraction: 'it asks to match pairs',
  orderInteraction: 'it asks for an order',
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

function readItem(item: XmlElement): Draft {
  const body = childOf(item, 'itemBody')
  const [interaction, ...more] = [...descendants(body)].filter(({ name }) => name.endsWith('Interaction'))
  if (!body || !interaction) throw new Skip('it asks nothing')
  if (more.length > 0) throw new Skip('it has several parts')
  if (childrenOf(item, 'templateDeclaration').length > 0)
    throw new Skip('its numbers are drawn anew for each student')
  const stem = elementsToText(replaceInteraction(body, interaction).children)
  const marks = readMaximum(item)
  return {
    question: {
      ...readInteraction(item, interaction, stem.text),
      ...(marks === undefined ? {} : { positive_marks: marks }),
    },
    imageAddress: onlyImage(stem.images),
  }
}

/** The body without asides; an interaction within a line becomes a blank to write on. */
function replaceInteraction(element: XmlElement, interaction: XmlElement): XmlElement {
  const alone = element.children.every(
    (child) => child === interaction || (typeof child === 'string' && child.trim() === ''),
  )
  return {
    ...element,
    children: element.children.flatMap((child): (XmlElement | string)[] => {
      if (typeof child === 'string') return [child]
      if (ASIDE.has(child.name)) return []
      if (child !== interaction) return [replaceInteraction(child, interaction)]
      const prompt = childOf(child, 'prompt')
      if (prompt) return [{ name: 'p', attributes: {}, children: prompt.children }]
      return child.name === 'textEntryInteraction' && !alone && element.name !== 'itemBody' ? [' _____ '] : []
    }),
  }
}

function readInteraction(item: XmlElement, interaction: XmlElement, stem: string) {
  const declaration = childrenOf(item, 'responseDeclaration').find(
    ({ attributes }) => attributes.identifier === interaction.attributes.responseIdentifier,
  )
  if (interaction.name === 'choiceInteraction') return readChoices(item, interaction, declaration, stem)
  if (interaction.name === 'textEntryInteraction') return readNumber(item, declaration, stem)
  throw new Skip(
    UNKNOWN_TYPES[interaction.name] ??
      `it asks for something that has no type here (${interaction.name.slice(0, 40)})`,
  )
}

function readChoices(
  item: XmlElement,
  interaction: XmlElement,
  declaration: XmlElement | undefined,
  stem: string,
) {
  const cardinality =
    declaration?.attributes.cardinality ?? (interaction.attributes.maxChoices === '1' ? 'single' : 'multiple')
  const multiple = cardinality === 'multiple'
  if (!multiple && cardinality !== 'single') throw new Skip('it asks for an order')
  const choices = childrenOf(interaction, 'simpleChoice')
  const shares = findShares(item, declaration, multiple)
  return toChoiceQuestion(
    stem,
    choices.map((choice) => ({
      text: withoutImages(elementsToText(withoutAsides(choice).children)),
      share: shares.get(choice.attributes.identifier ?? '') ?? 0,
    })),
    multiple,
  )
}

function withoutAsides(element: XmlElement): XmlElement {
  return {
    ...element,
    children: element.children.filter((child) => typeof child === 'string' || !ASIDE.has(child.name)),
  }
}

/** The part of the full marks that each choice brings, by its identifier. */
function findShares(
  item: XmlElement,
  declaration: XmlElement | undefined,
  multiple: boolean,
): Map<string, number> {
  const correct = correctValues(declaration)
  const mapped = childrenOf(childOf(declaration, 'mapping'), 'mapEntry').map(
    ({ attributes: { mapKey = '', mappedValue = '' } }) => [mapKey, Number(mappedValue)] as const,
  )
  const processing = childOf(item, 'responseProcessing')
  const isMapped =
    /map_response/.test(processing?.attributes.template ?? '') ||
    [...descendants(processing, 'mapResponse')].length > 0
  if (mapped.length > 0 && (isMapped || correct.length === 0)) {
    const gains = mapped.map(([, value]) => Math.max(0, value))
    const full = multiple ? gains.reduce((sum, gain) => sum + gain, 0) : Math.max(...gains)
    return new Map(mapped.map(([key, value]) => [key, full > 0 ? value / full : 0]))
  }
  if (givesParts(processing)) throw new Skip('its scoring gives part of the marks for some answers')
  return new Map(correct.map((value) => [value, multiple ? 1 / correct.length : 1]))
}

function correctValues(declaration: XmlElement | undefined): string[] {
  return childrenOf(childOf(declaration, 'correctResponse'), 'value').map((value) => textOf(value).trim())
}

/** Whether the response processing gives different marks to different answers. */
function givesParts(processing: XmlElement | undefined): boolean {
  const given = [...descendants(processing, 'setOutcomeValue')]
    .filter(({ attributes }) => attributes.identifier === 'SCORE')
    .flatMap((outcome) => childrenOf(outcome, 'baseValue').map((value) => Number(textOf(value))))
  return new Set(given.filter((value) => value > 0)).size > 1
}

function readNumber(item: XmlElement, declaration: XmlElement | undefined, stem: string) {
  if (!/^(float|integer)$/.test(declaration?.attributes.baseType ?? ''))
    throw new Skip('it asks for a short answer')
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
    question_type: 'NUMERIC',
    question_text: stem,
    correct_answer: value,
    tolerance: readTolerance(processing),
  }
}

function readTolerance(processing: XmlElement | undefined): string {
  const [equal, ...more] = descendants(processing, 'equal')
  const { toleranceMode = 'exact', tolerance = '0' } = equal?.attributes ?? {}
  const [below = '0', above = below] = tolerance.trim().split(/\s+/)
  if (more.length > 0 || toleranceMode === 'relative' || Number(below) !== Number(above))
    throw new Skip('its tolerance has no equivalent here')
  return toleranceMode === 'absolute' ? below : '0'
}

function readMaximum(item: XmlElement): string | undefined {
  const outcomes = childrenOf(item, 'outcomeDeclaration')
  const find = (name: string) => outcomes.find(({ attributes }) => attributes.identifier === name)
  const maximum =
    find('SCORE')?.attributes.normalMaximum ??
    textOf(childOf(find('MAXSCORE'), 'defaultValue', 'value')).trim()
  return maximum === '' ? undefined : maximum
}
