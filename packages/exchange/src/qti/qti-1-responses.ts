import { Skip } from '../items.ts'
import type { Accepted, Gap, Matching, Ordering, Task, TextEntry } from '../question.ts'
import { percentOf, toAccepted, toChoiceGap, toGaps } from '../tasks.ts'
import { childOf, childrenOf, descendants, textOf, type XmlElement } from '../xml.ts'

/** Kinds of questions that QTI 1.2 has besides choices and single numbers. */

/** A response with the texts that it shows. */
export interface LabelledResponse {
  id: string
  name: string
  /** What stands beside it. */
  text: string
  choices: { id: string; text: string }[]
}

/** A value that brings marks, by the conditions that name it. */
interface Right {
  value: string
  marks: number
  isExact: boolean
}

/** One text that is compared with accepted ones. */
export function readShort(item: XmlElement, response: LabelledResponse): TextEntry {
  const right = rightValues(item, response.id)
  if (right.length === 0) throw new Skip('it asks for an essay')
  return { kind: 'text', accepted: toAccepted(accept(right)) }
}

/** Items in the order in which the condition that brings marks names them. */
export function readOrder(item: XmlElement, response: LabelledResponse): Ordering {
  const orders = scoringConditions(item).map(({ condition }) =>
    [...descendants(condition, 'varequal')]
      .map((equal, index) => ({ at: Number(equal.attributes.index ?? index), id: textOf(equal).trim() }))
      .sort((one, other) => one.at - other.at)
      .map(({ id }) => id),
  )
  const ids = response.choices.map(({ id }) => id)
  const order = orders.find((each) => each.length === ids.length && ids.every((id) => each.includes(id)))
  if (!order) throw new Skip('its right order does not have each of its items once')
  return {
    kind: 'ordering',
    items: order.map((id) => response.choices.find((choice) => choice.id === id)?.text ?? ''),
  }
}

/**
 * Several responses: prompts with the same choices are pairs; else the text names them in brackets, or they stand in it
 * one after another.
 */
export function readResponses(
  item: XmlElement,
  responses: readonly LabelledResponse[],
  stem: string,
): Task & { text: string } {
  const arePairs = responses.every(
    ({ name, text, choices }) =>
      name === 'response_lid' &&
      text !== '' &&
      choices.length > 1 &&
      sameTexts(choices, responses[0]?.choices ?? []),
  )
  const named = responses.map(({ id, text }) => nameInText(stem, [text, id.replace(/^response_/, '')]))
  if (arePairs && named.includes(undefined)) return { ...readPairs(item, responses), text: stem }
  const gaps = responses.map((response) => readGap(item, response, metadataType(item)))
  if (named.every((name) => name !== undefined)) {
    const marked = named.reduce<string>(
      (text, name, index) => text.replace(`[${name}]`, `[[${index + 1}]]`),
      stem,
    )
    return { ...toGaps(gaps), text: marked }
  }
  const blanks = stem.match(/\[\[\d+\]\]/g) ?? []
  if (blanks.length === responses.length) return { ...toGaps(gaps), text: stem }
  throw new Skip('it has several parts')
}

function readPairs(item: XmlElement, responses: readonly LabelledResponse[]): Matching {
  const pairs = responses.map((response) => {
    const [right, ...others] = rightValues(item, response.id)
    const match = response.choices.find(({ id }) => id === right?.value)
    if (!match || others.length > 0) throw new Skip('its prompts do not have one match each')
    return { prompt: response.text, match: match.text }
  })
  const used = new Set(pairs.map(({ match }) => match))
  const all = new Set(responses[0]?.choices.map(({ text }) => text))
  return { kind: 'matching', pairs, distractors: [...all].filter((text) => !used.has(text)) }
}

function readGap(item: XmlElement, response: LabelledResponse, type: string): Gap {
  const right = rightValues(item, response.id)
  if (response.name !== 'response_lid') return { kind: 'text', accepted: acceptedTexts(right) }
  // Blanks of Canvas list their accepted texts as choices.
  if (type === 'fill_in_multiple_blanks_question')
    return {
      kind: 'text',
      accepted: toAccepted(response.choices.map(({ text }) => ({ text, percent: '100' }))),
    }
  return toChoiceGap(
    response.choices.map(({ id, text }) => ({ text, isRight: right.some(({ value }) => value === id) })),
  )
}

function acceptedTexts(right: readonly Right[]): Accepted[] {
  if (right.length === 0) throw new Skip('one of its gaps has no right answer')
  return toAccepted(accept(right))
}

function accept(right: readonly Right[]) {
  if (right.some(({ isExact, value }) => isExact && value.toLowerCase() !== value.toUpperCase()))
    throw new Skip('its answers need exact case')
  const best = Math.max(...right.map(({ marks }) => marks))
  return right.map(({ value, marks }) => ({ text: value, percent: percentOf(String(marks), best) }))
}

/** Blackboard names the full marks; beside these it writes 0 alone. */
export function marksOf(mark: XmlElement): number {
  const text = textOf(mark).trim()
  return text === 'SCORE.max' ? 1 : Number(text)
}

/** The conditions that bring marks, and how many. */
function scoringConditions(item: XmlElement): { condition: XmlElement; marks: number }[] {
  return [...descendants(item, 'respcondition')].flatMap((each) => {
    const condition = childOf(each, 'conditionvar')
    const gains = childrenOf(each, 'setvar').map(marksOf)
    const marks = Math.max(0, ...gains.filter(Number.isFinite))
    return condition && marks > 0 ? [{ condition, marks }] : []
  })
}

function rightValues(item: XmlElement, id: string): Right[] {
  const found: Right[] = []
  for (const { condition, marks } of scoringConditions(item)) {
    const equals = [...descendants(condition, 'varequal')]
    const negated = new Set(
      [...descendants(condition, 'not')].flatMap((not) => [...descendants(not, 'varequal')]),
    )
    const own = equals.filter((equal) => equal.attributes.respident === id && !negated.has(equal))
    if (own.length === 0) continue
    if (equals.some((equal) => equal.attributes.respident !== id))
      throw new Skip('its gaps bring marks only together')
    for (const equal of own) {
      const value = textOf(equal).trim()
      if (!found.some((each) => each.value === value))
        found.push({ value, marks, isExact: equal.attributes.case?.toLowerCase() === 'yes' })
    }
  }
  return found
}

function nameInText(stem: string, names: readonly string[]): string | undefined {
  return names.find((name) => name !== '' && stem.split(`[${name}]`).length === 2)
}

function sameTexts(one: LabelledResponse['choices'], other: LabelledResponse['choices']): boolean {
  return one.length === other.length && one.every(({ text }) => other.some((each) => each.text === text))
}

function metadataType(item: XmlElement): string {
  const field = [...descendants(item, 'qtimetadatafield')].find(
    (each) => textOf(childOf(each, 'fieldlabel')).trim() === 'question_type',
  )
  return field ? textOf(childOf(field, 'fieldentry')).trim() : ''
}
