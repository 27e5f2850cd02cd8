import { type Draft, type Items, joinTexts, NoQuestion, onlyImage, Skip, withoutImages } from '../items.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import { halfway } from '../numbers/decimal-ranges.ts'
import type { NumberEntry, Task } from '../question.ts'
import { toChoice } from '../tasks.ts'
import { elementsToText, htmlToText, type RichText } from '../texts/rich-text.ts'
import { childOf, childrenOf, descendants, readElements, textOf, type XmlElement } from '../xml.ts'
import { type LabelledResponse, marksOf, readOrder, readResponses, readShort } from './qti-1-responses.ts'

const RESPONSES = [
  'response_lid',
  'response_str',
  'response_num',
  'response_xy',
  'response_grp',
  'response_extension',
]

/** Of more, trying what brings marks would take long. */
const MOST_CHOICES = 100
/** Up to this many options, all sets of them are scored. */
const MOST_TRIED = 8

/** Items of QTI 1.2, wherever in their sections and assessments they are. */
export function* readQti1(text: string, items: Items) {
  for (const item of readElements(text, new Set(['item'])))
    yield items.read(item.attributes.title ?? item.attributes.ident ?? '', () => readItem(item))
}

function readItem(item: XmlElement): Draft {
  const presentation = childOf(item, 'presentation')
  const responses = [...descendants(presentation, ...RESPONSES)].filter(({ name }) => name !== 'response_grp')
  const [response, ...more] = responses
  if (!presentation || !response) throw new NoQuestion('it asks nothing (description)')
  const stem = more.length > 0 ? readStem(presentation, responses) : readMaterial(presentation)
  const points = readPoints(item)
  return {
    question: {
      ...(more.length > 0
        ? readResponses(item, responses.map(toResponse), stem.text)
        : { ...readResponse(item, response), text: stem.text }),
      explanation: readExplanation(item),
      tags: [],
      marks: points,
    },
    imageAddress: onlyImage(stem.images),
  }
}

function readResponse(item: XmlElement, response: XmlElement): Task {
  if (response.name === 'response_lid') return readChoices(item, response)
  const [fib] = descendants(response, 'render_fib')
  const isNumber =
    response.name === 'response_num' ||
    /^(integer|decimal)$/i.test(fib?.attributes.fibtype ?? '') ||
    /^numerical/.test(metadataOf(item, 'question_type') ?? '')
  if (isNumber) return readNumber(item)
  if (response.name !== 'response_str') throw new Skip('it asks for something that has no type here')
  return readShort(item, toResponse(response))
}

/** The text around several responses; those that stand in it on their own become the marks of gaps. */
function readStem(presentation: XmlElement, responses: readonly XmlElement[]): RichText {
  const isEntry = (element: XmlElement) => element.name !== 'response_lid'
  const replaced = (element: XmlElement): XmlElement => ({
    ...element,
    children: element.children.flatMap((child): (XmlElement | string)[] => {
      if (typeof child === 'string') return [child]
      const index = responses.indexOf(child)
      if (index < 0) return [replaced(child)]
      const mark = { name: 'mattext', attributes: {}, children: [`[[${index + 1}]]`] }
      return isEntry(child) ? [{ name: 'material', attributes: {}, children: [mark] }] : []
    }),
  })
  return readMaterial(replaced(presentation))
}

function toResponse(element: XmlElement): LabelledResponse {
  return {
    id: element.attributes.ident ?? '',
    name: element.name,
    text: withoutImages(readMaterial(element)),
    choices: [...descendants(element, 'response_label')].map((label) => ({
      id: label.attributes.ident ?? '',
      text: withoutImages(readMaterial(label)),
    })),
  }
}

/** The feedback for everybody, and that for those who are right. */
function readExplanation(item: XmlElement): string {
  const told = childrenOf(item, 'itemfeedback').filter(({ attributes: { ident = '' } }) =>
    /general|correct|solution|explanation/i.test(ident.replace(/(general_)?incorrect/gi, '')),
  )
  return joinTexts(told.map((feedback) => readMaterial(feedback).text))
}

function readChoices(item: XmlElement, response: XmlElement): Task {
  const cardinality = (response.attributes.rcardinality ?? 'Single').toLowerCase()
  if (cardinality === 'ordered') return readOrder(item, toResponse(response))
  const multiple = cardinality === 'multiple'
  const labels = [...descendants(response, 'response_label')]
  const choices = labels.map((label) => ({ text: withoutImages(readMaterial(label)), share: 0 }))
  if (choices.length > MOST_CHOICES) throw new Skip(`it has more than ${MOST_CHOICES} options`)
  const ids = labels.map((label) => label.attributes.ident ?? '')
  const shares = findShares(item, ids, multiple)
  return toChoice(
    choices.map(({ text }, index) => ({ text, share: shares[index] ?? 0 })),
    multiple,
  )
}

/**
 * The part of the full marks that each choice brings, found by scoring possible answers: exporters write the same
 * rule in many ways.
 */
function findShares(item: XmlElement, ids: string[], multiple: boolean): number[] {
  const score = (chosen: string[]) => scoreOf(item, new Set(chosen))
  if (!multiple) {
    const scores = ids.map((id) => score([id]))
    const best = Math.max(0, ...scores)
    return scores.map((each) => (best === 0 ? 0 : each / best))
  }
  const sets = listSets(item, ids)
  const scored = sets.map((chosen) => ({ chosen, score: score(chosen) }))
  const best = Math.max(0, ...scored.map((each) => each.score))
  if (best === 0) return ids.map(() => 0)
  const full = scored
    .filter((each) => each.score === best)
    .sort((one, other) => one.chosen.length - other.chosen.length)
  const [first, next] = full
  const key = first?.chosen ?? []
  if (key.length === 0 || next?.chosen.length === key.length) throw new Skip('it has several right answers')
  const alone = key.map((id) => score([id]))
  if (key.length > 1 && alone.some((each) => each !== alone[0]))
    throw new Skip('its right options bring different parts of the marks')
  return ids.map((id) => (key.includes(id) ? 1 / key.length : 0))
}

/** What may be the key: all sets of a few options; of many, what conditions name, and what brings marks alone. */
function listSets(item: XmlElement, ids: string[]): string[][] {
  if (ids.length <= MOST_TRIED)
    return Array.from({ length: 2 ** ids.length }, (_, bits) =>
      ids.filter((_id, index) => bits & (1 << index)),
    )
  const named = [...descendants(item, 'conditionvar')].map((condition) => {
    const negated = new Set(
      [...descendants(condition, 'not')].flatMap((not) => [...descendants(not, 'varequal')]),
    )
    const positive = [...descendants(condition, 'varequal')].filter((equal) => !negated.has(equal))
    return new Set(positive.map((equal) => textOf(equal).trim()))
  })
  const alone = new Set(ids.filter((id) => scoreOf(item, new Set([id])) > 0))
  return [...named, alone].map((set) => ids.filter((id) => set.has(id)))
}

function scoreOf(item: XmlElement, chosen: ReadonlySet<string>): number {
  let score = 0
  for (const condition of descendants(item, 'respcondition')) {
    const marks = childrenOf(condition, 'setvar').filter(isScore)
    if (!holds(childOf(condition, 'conditionvar'), chosen)) continue
    for (const mark of marks) {
      const value = marksOf(mark)
      if (!Number.isFinite(value)) throw new Skip('its marks cannot be read')
      const action = (mark.attributes.action ?? 'Set').toLowerCase()
      if (action === 'set') score = value
      else if (action === 'add') score += value
      else if (action === 'subtract') score -= value
      else throw new Skip('its marks cannot be read')
    }
    if (marks.length > 0 && condition.attributes.continue?.toLowerCase() === 'no') break
  }
  return score
}

function isScore({ attributes: { varname = 'SCORE' } }: XmlElement): boolean {
  return /score/i.test(varname)
}

/** Whether a condition, or all of several, is true of what was chosen. */
function holds(condition: XmlElement | undefined, chosen: ReadonlySet<string>): boolean {
  const parts = (condition?.children ?? []).filter((child) => typeof child !== 'string')
  switch (condition?.name) {
    case 'conditionvar':
    case 'and':
      return parts.every((part) => holds(part, chosen))
    case 'or':
      return parts.some((part) => holds(part, chosen))
    case 'not':
      return !parts.every((part) => holds(part, chosen))
    case 'varequal':
      return chosen.has(textOf(condition).trim())
    case 'unanswered':
      return chosen.size === 0
    case 'other':
      return true
    default:
      throw new Skip('its marks cannot be read')
  }
}

function readNumber(item: XmlElement): NumberEntry {
  const right = [...descendants(item, 'respcondition')].filter((condition) =>
    childrenOf(condition, 'setvar').some((mark) => isScore(mark) && marksOf(mark) > 0),
  )
  const values = (name: string) =>
    right.flatMap((each) => [...descendants(each, name)].map((one) => textOf(one).trim()))
  const [exact, ...others] = [...new Set(values('varequal'))]
  const [low, ...lows] = values('vargte')
  const [high, ...highs] = values('varlte')
  if (others.length + lows.length + highs.length > 0) throw new Skip('several numbers bring marks')
  if (values('vargt').length + values('varlt').length > 0)
    throw new Skip('the ends of its range are not part of it')
  const range = low !== undefined && high !== undefined ? halfway(low, high) : undefined
  if ((low ?? high) !== undefined && !range) throw new Skip('the range of its answer cannot be read')
  if (range && exact !== undefined && Number(range[0]) !== Number(exact))
    throw new Skip('its answer is not in the middle of its range')
  const [middle = '', distance = '0'] = range ?? []
  return {
    kind: 'number',
    key: exact ?? middle,
    tolerance: distance,
  }
}

function readPoints(item: XmlElement): string | undefined {
  const points = metadataOf(item, 'points_possible') ?? metadataOf(item, 'cc_weighting')
  return points?.trim() || undefined
}

function metadataOf(item: XmlElement, label: string): string | undefined {
  const field = [...descendants(item, 'qtimetadatafield')].find(
    (each) => textOf(childOf(each, 'fieldlabel')).trim() === label,
  )
  return field && textOf(childOf(field, 'fieldentry'))
}

/** Everything that is shown below an element, without the choices. */
function readMaterial(element: XmlElement): RichText {
  const texts: string[] = []
  const images: string[] = []
  const add = (plain: RichText) => {
    if (plain.text !== '') texts.push(plain.text)
    images.push(...plain.images)
  }
  const walk = (node: XmlElement) => {
    for (const child of node.children) {
      if (typeof child === 'string' || child.name.startsWith('render_')) continue
      if (child.name === 'mattext' || child.name === 'matemtext') add(readMattext(child))
      // Blackboard's own.
      else if (child.name === 'mat_formattedtext') add(htmlToText(textOf(child)))
      else if (child.name === 'matimage') images.push(imageAddress(child))
      else if (/^mat(audio|video|applet|application)$/.test(child.name)) throw new Skip('it holds media')
      else walk(child)
    }
  }
  walk(element)
  return { text: texts.join('\n'), images }
}

const LOOKS_LIKE_HTML = /<\/?[a-z][a-z0-9]*(\s[^<>]*)?\/?>|&(#\d+|#x[\da-f]+|[a-z]+);/i

function readMattext(element: XmlElement): RichText {
  if (element.children.some((child) => typeof child !== 'string')) return elementsToText(element.children)
  const text = textOf(element)
  const type = element.attributes.texttype?.toLowerCase() ?? 'text/plain'
  // Many exporters declare plain text and write HTML.
  return type !== 'text/plain' || LOOKS_LIKE_HTML.test(text)
    ? htmlToText(text)
    : { text: toMarkdown(text.trim()), images: [] }
}

function imageAddress(element: XmlElement): string {
  const { uri, embedded, imagtype = 'image/png' } = element.attributes
  if (embedded === 'base64') return `data:${imagtype};base64,${textOf(element)}`
  return uri ?? ''
}
