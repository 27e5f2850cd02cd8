import { Skip } from '../items.ts'
import { withoutMarks } from '../markdown/from-markdown.ts'
import type { Gap, Matching, Task } from '../question.ts'
import {
  checkApart,
  decideNumber,
  decideOne,
  decideOrder,
  decideSome,
  decideText,
} from '../scoring/deciding.ts'
import { partsOf, type Scoring } from '../scoring/model.ts'
import { EPSILON } from '../scoring/points.ts'
import { toAccepted, toGaps } from '../tasks.ts'
import { descendants, textOf, type XmlElement } from '../xml.ts'
import { type Asked, decideAll } from './qti-1-scoring.ts'

/** An item's responses as questions, by its scorings; undefined: it has no key. */

/** A response with the texts that it shows. */
export interface LabelledResponse extends Asked {
  /** What stands beside it. */
  text: string
  choices: { id: string; text: string }[]
  multiple: boolean
  /** How many can be chosen. */
  most: number
}

export type Scorings = [Scoring, ...Scoring[]]

/** A question, and what it can't hold of what the file says. */
export interface ReadTask {
  task: Task
  lost: string[]
}

/** The only response of an item. */
export function readResponse(
  item: XmlElement,
  response: LabelledResponse,
  scorings: Scorings | undefined,
): ReadTask {
  switch (response.kind) {
    case 'choice':
      return readChoices(response, scorings)
    case 'order': {
      if (!scorings) throw new Skip('it has no right order')
      const ids = response.choices.map(({ id }) => id)
      const { key, lost } = decideAll(scorings, (scoring) =>
        decideOrder(scoring, { response: response.id, kind: 'order', ids }),
      )
      return { task: { kind: 'ordering', items: key.map((id) => textOfChoice(response, id)) }, lost }
    }
    case 'number': {
      if (!scorings) return { task: { kind: 'number', key: '', tolerance: '0' }, lost: [] }
      const { key, lost } = decideNumberEntry(item, response, scorings)
      return { task: key, lost }
    }
    case 'text': {
      if (!scorings) throw new Skip('it asks for an essay')
      const { key, lost } = decideAll(scorings, (scoring) => decideText(scoring, response.id))
      return { task: key, lost }
    }
  }
}

function readChoices(response: LabelledResponse, scorings: Scorings | undefined): ReadTask {
  const { id, choices, multiple, most } = response
  const ids = choices.map((each) => each.id)
  if (ids.length === 0) throw new Skip('it has no options')
  const { key, lost } = !scorings
    ? { key: [], lost: [] }
    : decideAll<{ key: string[]; lost: string[] }>(scorings, (scoring) => {
        if (multiple) return decideSome(scoring, { response: id, kind: 'some', ids, least: 0, most })
        const decided = decideOne(scoring, { response: id, kind: 'one', ids })
        return { ...decided, key: [decided.key] }
      })
  const options = choices.map((each) => ({ text: each.text, isRight: key.includes(each.id) }))
  return { task: { kind: 'choice', multiple, options }, lost }
}

function decideNumberEntry(item: XmlElement, { id }: LabelledResponse, scorings: Scorings) {
  const written = [...descendants(item, 'varequal')].map((equal) => textOf(equal).trim())
  return decideAll(scorings, (scoring) => decideNumber(scoring, id, written))
}

function textOfChoice({ choices }: LabelledResponse, id: string): string {
  return choices.find((choice) => choice.id === id)?.text ?? ''
}

/**
 * Several responses: prompts with the same choices are pairs; else the text names them in brackets, or they stand in it
 * one after another.
 */
export function readResponses(
  item: XmlElement,
  type: string,
  responses: readonly LabelledResponse[],
  stem: string,
  scorings: Scorings | undefined,
): ReadTask & { text: string } {
  if (!scorings) throw new Skip('one of its gaps has no right answer')
  for (const scoring of scorings)
    checkApart(
      scoring,
      responses.map(({ id }) => id),
    )
  const arePairs = responses.every(
    ({ kind, text, choices }) =>
      kind === 'choice' &&
      text !== '' &&
      choices.length > 1 &&
      sameTexts(choices, responses[0]?.choices ?? []),
  )
  const named = responses.map(({ id, text }) => nameInText(stem, [text, id.replace(/^response_/, '')]))
  if (arePairs && named.includes(undefined)) return { ...readPairs(responses, scorings), text: stem }
  const decided = responses.map((response) => readGap(item, type, response, scorings))
  checkEqual(decided)
  const task = toGaps(decided.map(({ gap }) => gap))
  const lost = [...new Set(decided.flatMap((each) => each.lost))]
  if (named.every((name) => name !== undefined)) {
    const marked = named.reduce<string>(
      (text, name, index) => text.replace(`[${name}]`, () => `[[${index + 1}]]`),
      stem,
    )
    return { task, lost, text: marked }
  }
  const blanks = stem.match(/\[\[\d+\]\]/g) ?? []
  if (blanks.length === responses.length) return { task, lost, text: stem }
  throw new Skip('it has several parts')
}

function checkEqual(decided: readonly { best: number }[]): void {
  const [first] = decided
  // 33.33, 33.33 and 33.34 are thirds.
  const rounding = Math.max(EPSILON, (first?.best ?? 0) / 1_000)
  if (decided.some(({ best }) => Math.abs(best - (first?.best ?? 0)) > rounding))
    throw new Skip('its parts bring different parts of the marks')
}

function readPairs(responses: readonly LabelledResponse[], scorings: Scorings): ReadTask {
  const decided = responses.map((response) => decideChoice(response, scorings))
  checkEqual(decided)
  const pairs = responses.map((response, index) => ({
    prompt: response.text,
    match: textOfChoice(response, decided[index]?.key ?? ''),
  }))
  const used = new Set(pairs.map(({ match }) => match))
  const all = new Set(responses[0]?.choices.map(({ text }) => text))
  const task: Matching = { kind: 'matching', pairs, distractors: [...all].filter((text) => !used.has(text)) }
  return { task, lost: [...new Set(decided.flatMap(({ lost }) => lost))] }
}

function decideChoice({ id, choices, multiple }: LabelledResponse, scorings: Scorings) {
  if (multiple) throw new Skip('it has several parts')
  const ids = choices.map((each) => each.id)
  return decideAll(scorings, (scoring) => decideOne(scoring, { response: id, kind: 'one', ids }))
}

function readGap(
  item: XmlElement,
  type: string,
  response: LabelledResponse,
  scorings: Scorings,
): { gap: Gap; best: number; lost: string[] } {
  switch (response.kind) {
    case 'number': {
      const { key, ...rest } = decideNumberEntry(item, response, scorings)
      return { gap: key, ...rest }
    }
    case 'text': {
      const { key, ...rest } = decideAll(scorings, (scoring) => decideText(scoring, response.id))
      return { gap: key, ...rest }
    }
    case 'order':
      throw new Skip('it has several parts')
    case 'choice': {
      // Blanks of Canvas list their accepted texts as choices, and score the first of each.
      if (type === 'fill_in_multiple_blanks_question') {
        const texts = response.choices.map(({ text }) => ({
          text: withoutMarks(text, 'option'),
          percent: '100',
        }))
        const isScored = [...partsOf(scorings[0])].some(
          (part) => 'response' in part && part.response === response.id,
        )
        if (!isScored || texts.length === 0) throw new Skip('one of its gaps has no right answer')
        return {
          gap: { kind: 'text', accepted: toAccepted(texts) },
          best: bestOf(response, scorings),
          lost: [],
        }
      }
      const { key, ...rest } = decideChoice(response, scorings)
      const choices = response.choices.map(({ text }) => text)
      return {
        gap: { kind: 'choice', choices, correct: response.choices.findIndex(({ id }) => id === key) },
        ...rest,
      }
    }
  }
}

function bestOf({ id, choices }: LabelledResponse, [scoring]: Scorings): number {
  return decideOne(scoring, { response: id, kind: 'one', ids: choices.map((each) => each.id) }).best
}

function nameInText(stem: string, names: readonly string[]): string | undefined {
  return names.find((name) => name !== '' && stem.split(`[${name}]`).length === 2)
}

function sameTexts(one: LabelledResponse['choices'], other: LabelledResponse['choices']): boolean {
  return one.length === other.length && one.every(({ text }) => other.some((each) => each.text === text))
}
