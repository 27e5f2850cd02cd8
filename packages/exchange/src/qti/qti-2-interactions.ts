import { Skip, withoutImages } from '../items.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import type { Accepted, Gap, Gaps, Matching, Ordering, TextEntry } from '../question.ts'
import { percentOf, toAccepted, toChoiceGap, toGaps } from '../tasks.ts'
import { elementsToText } from '../texts/rich-text.ts'
import { childrenOf, descendants, textOf, type XmlElement } from '../xml.ts'
import {
  correctValues,
  declarationOf,
  isMapped,
  mappedValues,
  readTolerance,
  withoutAsides,
} from './qti-2-scoring.ts'

/** The kinds of questions that QTI 2 and 3 have besides choices and single numbers. */

const idOf = ({ attributes }: XmlElement) => attributes.identifier ?? ''
const plain = (element: XmlElement) => withoutImages(elementsToText(withoutAsides(element).children))
/** Choices within a line hold text alone; its blanks count. */
const inline = (element: XmlElement) =>
  element.children.every((child) => typeof child === 'string')
    ? toMarkdown(textOf(element).trim())
    : plain(element)

/** Pairs of prompts and choices: each prompt has one right choice. */
export function readMatch(item: XmlElement, interaction: XmlElement): Matching {
  const [left = [], right = []] = childrenOf(interaction, 'simpleMatchSet').map((set) =>
    childrenOf(set, 'simpleAssociableChoice').map((choice) => ({ id: idOf(choice), text: plain(choice) })),
  )
  const pairs = rightPairs(item, interaction)
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
    return {
      kind: 'matching',
      pairs: prompts.map(({ text }, index) => ({ prompt: text, match: textOfChoice(matches[index]?.[0]) })),
      distractors: [...new Set(others)],
    }
  }
  throw new Skip('its prompts do not have one match each')
}

/** The right pairs; all of them bring equal parts of the marks. */
function rightPairs(item: XmlElement, interaction: XmlElement): [string, string][] {
  const declaration = declarationOf(item, interaction)
  const mapped = mappedValues(declaration).filter(({ value }) => value > 0)
  const correct = correctValues(declaration)
  const differ = new Set(mapped.map(({ value }) => value)).size > 1
  if (differ && (correct.length === 0 || isMapped(item)))
    throw new Skip('its pairs bring different parts of the marks')
  return (correct.length > 0 ? correct : mapped.map(({ key }) => key)).map((value) => {
    const [one = '', other = ''] = value.trim().split(/\s+/)
    return [one, other]
  })
}

export function readOrder(item: XmlElement, interaction: XmlElement): Ordering {
  const choices = new Map(
    childrenOf(interaction, 'simpleChoice').map((choice) => [idOf(choice), plain(choice)]),
  )
  const order = correctValues(declarationOf(item, interaction))
  if (
    order.length !== choices.size ||
    new Set(order).size !== order.length ||
    !order.every((id) => choices.has(id))
  )
    throw new Skip('its right order does not have each of its items once')
  return { kind: 'ordering', items: order.map((id) => choices.get(id) ?? '') }
}

/** Texts that are put into gaps; each gap is a choice among all of them. */
export function readGapMatch(
  item: XmlElement,
  interaction: XmlElement,
  gapsInOrder: readonly XmlElement[],
): Gaps {
  if (childrenOf(interaction, 'gapImg').length > 0) throw new Skip('it has an image in its options')
  const choices = childrenOf(interaction, 'gapText').map((choice) => ({
    id: idOf(choice),
    text: inline(choice),
  }))
  const pairs = rightPairs(item, interaction)
  return toGaps(
    gapsInOrder.map((gap) => {
      const right = pairs.filter(([, id]) => id === idOf(gap)).map(([id]) => id)
      return toChoiceGap(choices.map(({ id, text }) => ({ text, isRight: right.includes(id) })))
    }),
  )
}

/** One text entry of words. */
export function readShort(item: XmlElement, interaction: XmlElement): TextEntry {
  return { kind: 'text', accepted: toAccepted(acceptedBy(item, interaction)) }
}

/** Several entries within a text, each scored by itself. */
export function readGaps(item: XmlElement, interactions: readonly XmlElement[]): Gaps {
  return toGaps(
    interactions.map((interaction): Gap => {
      const declaration = declarationOf(item, interaction)
      if (interaction.name !== 'textEntryInteraction') {
        if (declaration?.attributes.cardinality === 'multiple') throw new Skip('it has several parts')
        const positive = mappedValues(declaration).filter(({ value }) => value > 0)
        const correct = correctValues(declaration)
        const right = correct.length > 0 ? correct : positive.map(({ key }) => key)
        return toChoiceGap(
          [...descendants(interaction, 'inlineChoice', 'simpleChoice')].map((choice) => ({
            text: inline(choice),
            isRight: right.includes(idOf(choice)),
          })),
        )
      }
      if (/^(float|integer)$/.test(declaration?.attributes.baseType ?? '')) {
        const positive = mappedValues(declaration).filter(({ value }) => value > 0)
        const known = new Set([...correctValues(declaration), ...positive.map(({ key }) => key)])
        const [key, ...others] = known
        if (key === undefined || others.length > 0)
          throw new Skip('not just one number is right for one of its gaps')
        return { kind: 'number', key, tolerance: readTolerance(item, interaction) }
      }
      const accepted = toAccepted(acceptedBy(item, interaction))
      if (accepted.length === 0) throw new Skip('one of its gaps has no right answer')
      return { kind: 'text', accepted }
    }),
  )
}

function acceptedBy(item: XmlElement, interaction: XmlElement): Accepted[] {
  const declaration = declarationOf(item, interaction)
  const mapped = mappedValues(declaration).filter(({ value }) => value > 0)
  const best = Math.max(...mapped.map(({ value }) => value))
  const [mapping] = childrenOf(declaration, 'mapping')
  const upper = Number(mapping?.attributes.upperBound)
  const full = upper > best ? upper : best
  if (mapped.some(({ isExact, key }) => isExact && key.toLowerCase() !== key.toUpperCase()))
    throw new Skip('its answers need exact case')
  const patterns = [...descendants(childrenOf(item, 'responseProcessing')[0], 'patternMatch')]
  if (patterns.length > 0) throw new Skip('its answers are patterns')
  const texts = mapped.map(({ key, written }) => ({ text: key, percent: percentOf(written, full) }))
  const others = correctValues(declaration).filter((value) => !mapped.some(({ key }) => key === value))
  // Where there is a mapping, it decides.
  return mapped.length > 0 ? texts : others.map((text) => ({ text, percent: '100' }))
}
