import { createItems, joinTexts, NoQuestion, onlyImage, readTags, Skip, withoutImages } from '../items.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import type { Gap, Image, Item, ItemContent, Matching, NumberEntry, Task, TextEntry } from '../question.ts'
import { toAccepted, toChoice, toChoiceGap, toGaps, toTrueFalse, withoutWildcards } from '../tasks.ts'
import { decodeAddress } from '../texts/addresses.ts'
import { readDataUrl } from '../texts/data-addresses.ts'
import { htmlToText, type RichText } from '../texts/rich-text.ts'
import { childOf, childrenOf, readElements, textOf, type XmlElement } from '../xml.ts'
import { readCloze } from './cloze.ts'

export function* readMoodleXml(text: string): Generator<Item> {
  const items = createItems()
  for (const element of readElements(text, new Set(['question']))) {
    const { type = '' } = element.attributes
    // A category of the following questions, no question.
    if (type === 'category') continue
    yield items.read(textOf(childOf(element, 'name', 'text')), () => readQuestion(type, element))
  }
}

function readQuestion(type: string, element: XmlElement): ItemContent {
  if (type === 'description') throw new NoQuestion('it asks nothing (description)')
  if (type === 'essay') throw new Skip('it asks for an essay')
  const { stem, gaps } = readStem(type, element)
  const address = onlyImage(stem.images)
  const image = address === undefined ? undefined : findImage(element, address)
  const grade = textOf(childOf(element, 'defaultgrade')).trim()
  return {
    question: {
      ...(gaps ? toGaps(gaps) : readAnswers(type, element)),
      text: stem.text,
      explanation: readExplanation(element),
      tags: readTags(childrenOf(childOf(element, 'tags'), 'tag').map((tag) => textOf(childOf(tag, 'text')))),
      marks: grade || undefined,
    },
    ...(image === undefined ? {} : { image }),
  }
}

/** The text, with our marks where its type has gaps in it. */
function readStem(type: string, element: XmlElement): { stem: RichText; gaps?: Gap[] } {
  const text = childOf(element, 'questiontext')
  if (type === 'cloze' || type === 'multianswer') {
    const { html, gaps } = readCloze(textOf(childOf(text, 'text')))
    return { stem: htmlToText(html), gaps }
  }
  const stem = readText(text)
  if (type !== 'gapselect' && type !== 'ddwtos') return { stem }
  const choices = childrenOf(element, type === 'gapselect' ? 'selectoption' : 'dragbox').map((choice) => ({
    text: withoutImages(readText(choice)),
    group: textOf(childOf(choice, 'group')).trim(),
  }))
  // A mark names the right choice; ours name the gaps.
  const gaps: Gap[] = []
  const marked = stem.text.replace(/\[\[(\d+)\]\]/g, (mark, number: string) => {
    const right = choices[Number(number) - 1]
    if (!right) return mark
    const others = choices.filter(({ group }) => group === right.group)
    gaps.push(toChoiceGap(others.map((each) => ({ text: each.text, isRight: each === right }))))
    return `[[${gaps.length}]]`
  })
  if (gaps.length === 0) throw new Skip('it has no gap that can be read')
  return { stem: { ...stem, text: marked }, gaps }
}

/** The feedback for every answer, and that for the right one if there is only one. */
function readExplanation(element: XmlElement): string {
  const right = childrenOf(element, 'answer').filter((answer) => Number(answer.attributes.fraction) > 0)
  const own = right.length === 1 ? [childOf(right[0], 'feedback')] : []
  return joinTexts([childOf(element, 'generalfeedback'), ...own].map((feedback) => readText(feedback).text))
}

function readAnswers(type: string, element: XmlElement): Task {
  const answers = childrenOf(element, 'answer')
  switch (type) {
    case 'multichoice': {
      const single = textOf(childOf(element, 'single')).trim().toLowerCase()
      const choices = answers.map((answer) => ({
        text: withoutImages(readText(answer)),
        share: shareOf(answer),
      }))
      return toChoice(choices, single === 'false' || single === '0')
    }
    case 'truefalse': {
      const right = answers.find((answer) => shareOf(answer) > 0)
      return toTrueFalse(textOf(childOf(right, 'text')).trim().toLowerCase() === 'true')
    }
    case 'numerical':
      return readNumeric(element, answers)
    case 'shortanswer':
      return readTexts(element, answers)
    case 'matching':
    case 'match':
      return readPairs(element)
    case 'ordering': {
      const places = answers.map((answer) => Number(answer.attributes.fraction))
      // Moodle writes the places as fractions; other tools write the items in their order.
      const inOrder =
        new Set(places).size === places.length && places.every((place) => place >= 1)
          ? answers.toSorted(
              (one, other) => Number(one.attributes.fraction) - Number(other.attributes.fraction),
            )
          : answers
      return { kind: 'ordering', items: inOrder.map((answer) => withoutImages(readText(answer))) }
    }
    default:
      throw new Skip(`it is of a type that is not known here (${type.slice(0, 40) || 'none'})`)
  }
}

function readTexts(element: XmlElement, answers: XmlElement[]): TextEntry {
  const right = answers
    .filter((answer) => shareOf(answer) > 0)
    .map((answer) => ({
      text: withoutWildcards(textOf(childOf(answer, 'text')).trim()),
      percent: answer.attributes.fraction ?? '0',
    }))
  const isExact = textOf(childOf(element, 'usecase')).trim() === '1'
  if (isExact && right.some(({ text }) => text.toLowerCase() !== text.toUpperCase()))
    throw new Skip('its answers need exact case')
  return { kind: 'text', accepted: toAccepted(right) }
}

/** A pair without a prompt brings one more choice. */
function readPairs(element: XmlElement): Matching {
  const pairs = childrenOf(element, 'subquestion').map((pair) => ({
    prompt: withoutImages(readText(pair)),
    match: toMarkdown(textOf(childOf(pair, 'answer', 'text')).trim()),
  }))
  const distractors = pairs.filter(({ prompt }) => prompt === '').map(({ match }) => match)
  return {
    kind: 'matching',
    pairs: pairs.filter(({ prompt }) => prompt !== ''),
    distractors: [...new Set(distractors)],
  }
}

function readNumeric(element: XmlElement, answers: XmlElement[]): NumberEntry {
  const grading = textOf(childOf(element, 'unitgradingtype')).trim()
  if (childrenOf(childOf(element, 'units'), 'unit').length > 0 && !['', '0'].includes(grading))
    throw new Skip('its answer needs a unit')
  const right = answers.filter((answer) => shareOf(answer) > 0)
  const [only, ...others] = right
  if (others.length > 0 || (only && shareOf(only) < 1)) throw new Skip('several numbers bring marks')
  return {
    kind: 'number',
    key: textOf(childOf(only, 'text')).trim(),
    tolerance: textOf(childOf(only, 'tolerance')).trim() || '0',
  }
}

function shareOf(answer: XmlElement): number {
  const fraction = Number(answer.attributes.fraction ?? '0')
  if (!Number.isFinite(fraction)) throw new Skip('the marks of an answer cannot be read')
  return fraction / 100
}

function readText(element: XmlElement | undefined): RichText {
  const text = textOf(childOf(element, 'text'))
  switch (element?.attributes.format) {
    case 'plain_text':
      return { text: toMarkdown(text.trim()), images: [] }
    case 'markdown':
      return { text: text.trim(), images: [] }
    case 'moodle_auto_format':
      return htmlToText(text.trim().replace(/\r\n|\r|\n/g, '<br>'))
    default:
      return htmlToText(text)
  }
}

const STORED = /^@@PLUGINFILE@@\//

function findImage(element: XmlElement, address: string): Image {
  const data = readDataUrl(address)
  if (data) return data
  const [path = ''] = address.replace(STORED, '').split('?')
  const wanted = decodeAddress(path)
  const file = childrenOf(childOf(element, 'questiontext'), 'file').find(
    ({ attributes: { name = '', path: folder = '/' } }) => `${folder}${name}`.replace(/^\/+/, '') === wanted,
  )
  if (!file || !STORED.test(address)) throw new Skip('its image is not in the file')
  return { name: wanted, bytes: Buffer.from(textOf(file), 'base64') }
}
