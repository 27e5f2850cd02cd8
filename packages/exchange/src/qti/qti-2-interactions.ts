import { Skip, withoutImages } from '../items.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import type { Choice, Gap, Gaps, Matching, Ordering, Task } from '../question.ts'
import {
  checkApart,
  type Decided,
  decideNumber,
  decideOne,
  decideOrder,
  decideSome,
  decideText,
} from '../scoring/deciding.ts'
import { partsOf, type Scoring } from '../scoring/model.ts'
import { EPSILON } from '../scoring/points.ts'
import { toGaps } from '../tasks.ts'
import { elementsToText } from '../texts/rich-text.ts'
import { childrenOf, descendants, textOf, type XmlElement } from '../xml.ts'
import { correctValues, declarationOf, isNumeric } from './qti-2-scoring.ts'

/** An item's interactions as questions, by its scoring; undefined: it has no key. */

/** A question, and what it can't hold of what the file says. */
export interface ReadTask {
  task: Task
  lost: string[]
}

const UNKNOWN_TYPES: Record<string, string> = {
  associateInteraction: 'it asks for pairs of one list',
  extendedTextInteraction: 'it asks for an essay',
  uploadInteraction: 'it asks for a file',
}

/** Elements that are shown only after an answer, or not to students. */
const ASIDE = new Set([
  'feedbackBlock',
  'feedbackInline',
  'modalFeedback',
  'templateBlock',
  'stylesheet',
  'catalogInfo',
])

/** Whether an element is shown with its question: of rubrics those that are for whoever answers. */
export function isShown({ name, attributes }: XmlElement): boolean {
  return name === 'rubricBlock' ? /\bcandidate\b/.test(attributes.view ?? '') : !ASIDE.has(name)
}

export function withoutAsides(element: XmlElement): XmlElement {
  return {
    ...element,
    children: element.children.filter((child) => typeof child === 'string' || isShown(child)),
  }
}

const idOf = ({ attributes }: XmlElement) => attributes.identifier ?? ''
const plain = (element: XmlElement) => withoutImages(elementsToText(withoutAsides(element).children))
/** Choices within a line hold text alone; its blanks count. */
const inline = (element: XmlElement) =>
  element.children.every((child) => typeof child === 'string')
    ? toMarkdown(textOf(element).trim())
    : plain(element)

/** The only interaction of an item. */
export function readInteraction(
  item: XmlElement,
  interaction: XmlElement,
  scoring: Scoring | undefined,
): ReadTask {
  const declaration = declarationOf(item, interaction)
  switch (interaction.name) {
    case 'choiceInteraction':
    // Marking words is choosing them.
    case 'hottextInteraction':
      return readChoices(interaction, declaration, scoring)
    case 'sliderInteraction':
    case 'textEntryInteraction':
      return readEntry(interaction, declaration, scoring)
    case 'matchInteraction':
      return readMatch(interaction, scoring)
    case 'orderInteraction':
      return readOrder(interaction, scoring)
    default:
      throw new Skip(
        UNKNOWN_TYPES[interaction.name] ??
          `it asks for something that has no type here (${interaction.name.slice(0, 40)})`,
      )
  }
}

function readChoices(
  interaction: XmlElement,
  declaration: XmlElement | undefined,
  scoring: Scoring | undefined,
): ReadTask {
  const { maxChoices } = interaction.attributes
  const cardinality = declaration?.attributes.cardinality ?? (maxChoices === '1' ? 'single' : 'multiple')
  const multiple = cardinality === 'multiple'
  if (!multiple && cardinality !== 'single') throw new Skip('it asks for an order')
  const choices = [...descendants(interaction, 'simpleChoice', 'hottext')]
  if (choices.length === 0) throw new Skip('it has no options')
  const { key, lost } = decideChoices(interaction, choices.map(idOf), multiple, scoring)
  const isShuffled = interaction.attributes.shuffle === 'true'
  const options = choices.map((choice) => ({
    text: plain(choice),
    isRight: key.includes(idOf(choice)),
    ...(isShuffled && choice.attributes.fixed === 'true' ? { isFixed: true as const } : {}),
  }))
  return { task: { kind: 'choice', multiple, options } satisfies Choice, lost }
}

function decideChoices(
  { attributes }: XmlElement,
  ids: readonly string[],
  multiple: boolean,
  scoring: Scoring | undefined,
): Pick<Decided<string[]>, 'key' | 'lost'> {
  const { responseIdentifier: response = '', maxChoices = '0', minChoices = '0' } = attributes
  if (!scoring) return { key: [], lost: [] }
  if (!multiple) {
    const { key, lost } = decideOne(scoring, { response, kind: 'one', ids })
    return { key: [key], lost }
  }
  const most = Number(maxChoices) || Number.POSITIVE_INFINITY
  return decideSome(scoring, { response, kind: 'some', ids, least: Number(minChoices) || 0, most })
}

function readEntry(
  interaction: XmlElement,
  declaration: XmlElement | undefined,
  scoring: Scoring | undefined,
): ReadTask {
  const { task, lost } = decideEntry(interaction, declaration, scoring)
  return { task, lost }
}

/** A number or a text that is typed. */
function decideEntry(
  { name, attributes: { responseIdentifier: response = '' } }: XmlElement,
  declaration: XmlElement | undefined,
  scoring: Scoring | undefined,
): ReadTask & { best: number } {
  if (declaration && declaration.attributes.cardinality !== 'single')
    throw new Skip('it takes several answers')
  if (name === 'sliderInteraction' || isNumeric(declaration)) {
    if (!scoring) return { task: { kind: 'number', key: '', tolerance: '0' }, best: 0, lost: [] }
    const { key, ...decided } = decideNumber(scoring, response, correctValues(declaration))
    return { task: key, ...decided }
  }
  if (!scoring) return { task: { kind: 'text', accepted: [] }, best: 0, lost: [] }
  const { key, ...decided } = decideText(scoring, response)
  return { task: key, ...decided }
}

/** Pairs of prompts and choices: each prompt has one right choice. */
function readMatch(interaction: XmlElement, scoring: Scoring | undefined): ReadTask {
  const [left = [], right = []] = childrenOf(interaction, 'simpleMatchSet').map((set) =>
    childrenOf(set, 'simpleAssociableChoice').map((choice) => ({ id: idOf(choice), text: plain(choice) })),
  )
  const { pairs, lost } = rightPairs(interaction, scoring, Number(interaction.attributes.maxAssociations))
  for (const [prompts, choices, swapped] of [
    [left, right, false],
    [right, left, true],
  ] as const) {
    const matches = prompts.map(({ id }) =>
      pairs.flatMap(([one, other]) => ((swapped ? other : one) === id ? [swapped ? one : other] : [])),
    )
    if (!matches.every((each) => each.length === 1)) continue
    const textOfChoice = (id: string | undefined) => choices.find((choice) => choice.id === id)?.text ?? ''
    const used = new Set(matches.flat())
    const taken = new Set(matches.flat().map(textOfChoice))
    const others = choices.filter(({ id, text }) => !used.has(id) && !taken.has(text)).map(({ text }) => text)
    const task: Matching = {
      kind: 'matching',
      pairs: prompts.map(({ text }, index) => ({ prompt: text, match: textOfChoice(matches[index]?.[0]) })),
      distractors: [...new Set(others)],
    }
    return { task, lost }
  }
  throw new Skip('its prompts do not have one match each')
}

/** The right pairs; all of them bring equal parts of the marks. */
function rightPairs(
  { attributes: { responseIdentifier: response = '' } }: XmlElement,
  scoring: Scoring | undefined,
  most: number,
): { pairs: [string, string][]; lost: string[] } {
  if (!scoring) throw new Skip('it has no right pairs')
  // Others than those that are named bring nothing, so they aren't looked at.
  const ids = new Set<string>()
  for (const part of partsOf(scoring)) {
    if (!('response' in part) || part.response !== response) continue
    if ('entries' in part) {
      if (part.otherwise > EPSILON) throw new Skip('pairs bring marks that are not named')
      for (const { key } of part.entries) ids.add(key)
    } else if (part.test === 'exactly') for (const value of part.values) ids.add(value)
    else if (part.test === 'chosen') ids.add(part.value)
  }
  const { key, lost } = decideSome(scoring, {
    response,
    kind: 'some',
    ids: [...ids],
    least: 0,
    most: most || Number.POSITIVE_INFINITY,
  })
  const pairs = key.map((pair): [string, string] => {
    const [one = '', other = ''] = pair.split(' ')
    return [one, other]
  })
  // A prompt has one match here, so that only wrong ones could be more than the right ones.
  const costs = [...partsOf(scoring)].some(
    (part) =>
      'entries' in part &&
      part.response === response &&
      (part.otherwise < 0 || part.entries.some(({ points }) => points < 0)),
  )
  return { pairs, lost: costs ? lost : [] }
}

function readOrder(interaction: XmlElement, scoring: Scoring | undefined): ReadTask {
  const choices = new Map(
    childrenOf(interaction, 'simpleChoice').map((choice) => [idOf(choice), plain(choice)]),
  )
  const { responseIdentifier: response = '', maxChoices, minChoices } = interaction.attributes
  if (
    [maxChoices, minChoices].some(
      (count) => count !== undefined && Number(count) > 0 && Number(count) !== choices.size,
    )
  )
    throw new Skip('it asks for an order of some of its items')
  if (!scoring) throw new Skip('it has no right order')
  const { key, lost } = decideOrder(scoring, { response, kind: 'order', ids: [...choices.keys()] })
  return {
    task: { kind: 'ordering', items: key.map((id) => choices.get(id) ?? '') } satisfies Ordering,
    lost,
  }
}

/** Texts that are put into gaps; each gap is a choice among all of them. */
export function readGapMatch(
  interaction: XmlElement,
  gapsInOrder: readonly XmlElement[],
  scoring: Scoring | undefined,
): ReadTask {
  if (childrenOf(interaction, 'gapImg').length > 0) throw new Skip('it has an image in its options')
  const choices = childrenOf(interaction, 'gapText').map((choice) => ({
    id: idOf(choice),
    text: inline(choice),
  }))
  const { pairs, lost } = rightPairs(interaction, scoring, 0)
  const gaps = gapsInOrder.map((gap): Gap => {
    const right = pairs.filter(([, id]) => id === idOf(gap)).map(([id]) => id)
    const [only, ...others] = right
    const correct = choices.findIndex(({ id }) => id === only)
    if (correct < 0 || others.length > 0) throw new Skip('not just one choice is right for one of its gaps')
    return { kind: 'choice', choices: choices.map(({ text }) => text), correct }
  })
  return { task: toGaps(gaps), lost }
}

/** Several entries within a text, each scored by itself. */
export function readGaps(
  item: XmlElement,
  interactions: readonly XmlElement[],
  scoring: Scoring | undefined,
): ReadTask {
  if (!scoring) throw new Skip('one of its gaps has no right answer')
  checkApart(
    scoring,
    interactions.map(({ attributes }) => attributes.responseIdentifier ?? ''),
  )
  const read = interactions.map((interaction): { gap: Gap; best: number; lost: string[] } => {
    const declaration = declarationOf(item, interaction)
    if (interaction.name === 'textEntryInteraction') {
      const { task, best, lost } = decideEntry(interaction, declaration, scoring)
      if (task.kind !== 'text' && task.kind !== 'number') throw new Error('an entry is a text or a number')
      return { gap: task, best, lost }
    }
    if (declaration?.attributes.cardinality !== 'single') throw new Skip('it has several parts')
    const choices = [...descendants(interaction, 'inlineChoice', 'simpleChoice')]
    const { responseIdentifier: response = '' } = interaction.attributes
    const { key, best, lost } = decideOne(scoring, { response, kind: 'one', ids: choices.map(idOf) })
    const correct = choices.findIndex((choice) => idOf(choice) === key)
    return { gap: { kind: 'choice', choices: choices.map(inline), correct }, best, lost }
  })
  const [first] = read
  if (read.some(({ best }) => Math.abs(best - (first?.best ?? 0)) > EPSILON))
    throw new Skip('its gaps bring different parts of the marks')
  const lost = [...new Set(read.flatMap((each) => each.lost))]
  return { task: toGaps(read.map(({ gap }) => gap)) satisfies Gaps, lost }
}
