import {
  createItems,
  described,
  joinTexts,
  NoQuestion,
  onlyImage,
  readTags,
  Skip,
  withoutImages,
} from '../items.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import type { Gap, Image, Item, ItemContent, Matching, NumberEntry, Task, TextEntry } from '../question.ts'
import { toAccepted, toChoice, toChoiceGap, toGaps, toTrueFalse } from '../tasks.ts'
import { decodeAddress } from '../texts/addresses.ts'
import { readDataUrl } from '../texts/data-addresses.ts'
import { htmlToText, type RichText } from '../texts/rich-text.ts'
import { childOf, childrenOf, readElements, textOf, type XmlElement } from '../xml.ts'
import { Calculated, isCalculated } from './calculated.ts'
import { readCloze } from './cloze.ts'
import { inOrder, requireUnhidden } from './moodle-rules.ts'

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
  return isCalculated(type) ? readCalculated(type, element) : readPlain(type, element)
}

/** As a question of numbers or options whose texts have marks for values. */
function readCalculated(type: string, element: XmlElement): ItemContent {
  const isNumber = type !== 'calculatedmulti'
  const calculated = new Calculated(element)
  const read = readPlain(isNumber ? 'numerical' : 'multichoice', calculated.withMarks(element, isNumber))
  if (!('question' in read)) return read
  const question = calculated.withoutMarks(read.question)
  const right = childrenOf(element, 'answer').find((answer) => shareOf(answer) > 0)
  return {
    ...read,
    question: {
      ...question,
      ...(isNumber && right ? calculated.readAnswer(right) : {}),
      variables: calculated.variables,
      conditions: [],
    },
  }
}

function readPlain(type: string, element: XmlElement): ItemContent {
  const usual = childOf(element, 'questiontext')?.attributes.format ?? 'html'
  const { stem, gaps, weight } = readStem(type, element, usual)
  const old = readOldImage(element)
  const address = onlyImage(old ? [...stem.images, old.name] : stem.images)
  const image = old ?? (address === undefined ? undefined : findImage(element, address))
  const grade = textOf(childOf(element, 'defaultgrade')).trim()
  const explained = readExplanation(element, usual)
  const lost = listLost(element, explained.images)
  return {
    question: {
      ...(gaps ? toGaps(gaps) : readAnswers(type, element, usual)),
      text: stem.text,
      explanation: explained.text,
      tags: readTags(childrenOf(childOf(element, 'tags'), 'tag').map((tag) => textOf(childOf(tag, 'text')))),
      // A cloze's are the sum of its gaps', where these say more than that they are equal.
      marks:
        weight !== undefined && (weight !== 1 || !grade)
          ? String(weight * (gaps?.length ?? 1))
          : grade || undefined,
    },
    ...(image === undefined ? {} : { image: described(image, stem.alt) }),
    ...(lost.length === 0 ? {} : { lost }),
  }
}

/** The text, with our marks where its type has gaps in it. */
function readStem(
  type: string,
  element: XmlElement,
  usual: string,
): { stem: RichText; gaps?: Gap[]; weight?: number } {
  const text = childOf(element, 'questiontext')
  if (type === 'cloze' || type === 'multianswer') {
    const { html, gaps, weight } = readCloze(textOf(childOf(text, 'text')))
    return { stem: toRichText(html, usual), gaps, weight }
  }
  const stem = readText(text, usual)
  if (type !== 'gapselect' && type !== 'ddwtos') return { stem }
  const choices = childrenOf(element, type === 'gapselect' ? 'selectoption' : 'dragbox').map((choice) => ({
    text: withoutImages(readText(choice, usual)),
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

/** The feedback for every answer, and that for the right one: if there is only one, or only one that brings all. */
function readExplanation(element: XmlElement, usual: string): RichText {
  const fractions = (least: number) =>
    childrenOf(element, 'answer').filter((answer) => Number(answer.attributes.fraction) >= least)
  const right =
    element.attributes.type === 'shortanswer' ? fractions(100).slice(0, 1) : fractions(Number.MIN_VALUE)
  const own = right.length === 1 ? [childOf(right[0], 'feedback')] : []
  const texts = [childOf(element, 'generalfeedback'), ...own].map((feedback) => readText(feedback, usual))
  return {
    text: joinTexts(texts.map(({ text }) => text)),
    images: texts.flatMap(({ images }) => images),
  }
}

/** What the file says of a question that one of ours can't hold. */
function listLost(element: XmlElement, pictures: readonly string[]): string[] {
  const units = childrenOf(childOf(element, 'units'), 'unit')
  return [
    ...(units.length > 0 ? ['answers with a unit are not carried over: an answer is a number alone'] : []),
    ...(pictures.length > 0 ? ['the picture of its feedback is not carried over'] : []),
    ...(textOf(childOf(element, 'hidden')).trim() === '1' ? ['that it is hidden is not carried over'] : []),
  ]
}

function readAnswers(type: string, element: XmlElement, usual: string): Task {
  const answers = childrenOf(element, 'answer')
  switch (type) {
    case 'multichoice': {
      const single = textOf(childOf(element, 'single')).trim().toLowerCase()
      const choices = answers.map((answer) => ({
        text: withoutImages(readText(answer, usual)),
        share: shareOf(answer),
      }))
      return toChoice(choices, single === 'false' || single === '0')
    }
    case 'truefalse': {
      const right = answers.findIndex((answer) => shareOf(answer) > 0)
      if (right === -1) throw new Skip('neither True nor False brings marks')
      const words = answers.map((answer) => textOf(childOf(answer, 'text')).trim().toLowerCase())
      // In other words the first is True, as for Moodle itself.
      const areKnown = words.every((word) => word === 'true' || word === 'false')
      return toTrueFalse(areKnown ? words[right] === 'true' : right === 0)
    }
    case 'numerical':
      return readNumeric(element, answers)
    case 'shortanswer':
      return readTexts(element, answers)
    case 'matching':
    case 'match':
      return readPairs(element, usual)
    case 'ordering': {
      const drawn = Number(textOf(childOf(element, 'selectcount')))
      if (
        !/^(ALL)?$/.test(textOf(childOf(element, 'selecttype')).trim()) &&
        drawn > 0 &&
        drawn < answers.length
      )
        throw new Skip('it shows a part of its items, drawn anew for each student')
      const places = answers.map((answer) => Number(answer.attributes.fraction))
      // Moodle writes the places as fractions; other tools write the items in their order.
      const ordered =
        new Set(places).size === places.length && places.every((place) => place >= 1)
          ? answers.toSorted(
              (one, other) => Number(one.attributes.fraction) - Number(other.attributes.fraction),
            )
          : answers
      return { kind: 'ordering', items: ordered.map((answer) => withoutImages(readText(answer, usual))) }
    }
    default:
      throw new Skip(`it is of a type that is not known here (${type.slice(0, 40) || 'none'})`)
  }
}

function readTexts(element: XmlElement, answers: XmlElement[]): TextEntry {
  const right = inOrder(
    answers.map((answer) => ({
      text: textOf(childOf(answer, 'text')).trim(),
      percent: answer.attributes.fraction ?? '0',
    })),
  )
  const isExact = textOf(childOf(element, 'usecase')).trim() === '1'
  if (isExact && right.some(({ text }) => text.toLowerCase() !== text.toUpperCase()))
    throw new Skip('its answers need exact case')
  return { kind: 'text', accepted: toAccepted(right) }
}

/** A pair without a prompt brings one more choice. */
function readPairs(element: XmlElement, usual: string): Matching {
  const pairs = childrenOf(element, 'subquestion').map((pair) => ({
    prompt: withoutImages(readText(pair, usual)),
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
  if (textOf(childOf(only, 'text')).trim() === '*') throw new Skip('any number is right')
  if (others.length > 0 || (only && shareOf(only) < 1)) throw new Skip('several numbers bring marks')
  requireUnhidden(
    answers.map((answer) => ({
      key: textOf(childOf(answer, 'text')),
      tolerance: textOf(childOf(answer, 'tolerance')),
      brings: answer === only,
    })),
  )
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

/** A text in its format, or in that of the question's text where it says none. */
function readText(element: XmlElement | undefined, usual: string): RichText {
  return toRichText(textOf(childOf(element, 'text')), element?.attributes.format ?? usual)
}

function toRichText(text: string, format: string): RichText {
  switch (format) {
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

/** The picture of a file of Moodle 1.9, which stands beside the text. */
function readOldImage(element: XmlElement): Image | undefined {
  const name = textOf(childOf(element, 'image')).trim()
  const base64 = textOf(childOf(element, 'image_base64')).trim()
  return name === '' || base64 === '' ? undefined : { name, bytes: Buffer.from(base64, 'base64') }
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
