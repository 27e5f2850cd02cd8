import {
  type Draft,
  type Items,
  joinTexts,
  NoQuestion,
  onlyImage,
  Skip,
  WITHOUT_KEY,
  withoutImages,
} from '../items.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import { elementsToText, htmlToText, type RichText } from '../texts/rich-text.ts'
import { childOf, childrenOf, descendants, readElements, textOf, type XmlElement } from '../xml.ts'
import { CanvasCalculated, calculatedOf } from './qti-1-calculated.ts'
import { type LabelledResponse, readResponse, readResponses } from './qti-1-responses.ts'
import { readScorings } from './qti-1-scoring.ts'

const RESPONSES = [
  'response_lid',
  'response_str',
  'response_num',
  'response_xy',
  'response_grp',
  'response_extension',
]

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
  const type = metadataOf(item, 'question_type')?.trim() ?? ''
  const calculated = calculatedOf(item)
  if (calculated) return readCalculated(item, new CanvasCalculated(calculated))
  if (
    /^calculated/.test(type) ||
    /^calculated$/i.test(blackboardType(item)) ||
    [...descendants(item, 'calculated')].length > 0
  )
    throw new Skip('its numbers are drawn anew for each student')
  const stem = more.length > 0 ? readStem(presentation, responses) : readMaterial(presentation)
  const labelled = responses.map((each) => toResponse(item, each, more.length > 0))
  const scorings = readScorings(blackboardType(item) === 'Numeric' ? withRanges(item) : item, labelled)
  const [only] = labelled
  const { lost, task, text } =
    more.length > 0 || !only
      ? readResponses(item, type, labelled, stem.text, scorings)
      : { ...readResponse(item, only, scorings), text: stem.text }
  return {
    question: { ...task, text, explanation: readExplanation(item), tags: [], marks: readPoints(item) },
    imageAddress: onlyImage(stem.images),
    imageAlt: stem.alt,
    lost: scorings ? lost : [WITHOUT_KEY],
  }
}

function readCalculated(item: XmlElement, calculated: CanvasCalculated): Draft {
  const marked = calculated.withMarks(item)
  const stem = readMaterial(childOf(marked, 'presentation') ?? marked)
  const { task, variables } = calculated
  const { text, explanation } = calculated.withoutMarks({
    text: stem.text,
    explanation: readExplanation(marked),
  })
  return {
    question: { ...task, text, explanation, tags: [], marks: readPoints(item), variables, conditions: [] },
    imageAddress: onlyImage(stem.images),
    imageAlt: stem.alt,
  }
}

function blackboardType(item: XmlElement): string {
  return textOf([...descendants(item, 'bbmd_questiontype')][0]).trim()
}

/** Blackboard writes the middle of a range as a condition beside its ends; it isn't asked for. */
function withRanges(element: XmlElement): XmlElement {
  const names = element.children.map((child) => (typeof child === 'string' ? '' : child.name))
  const isRange = names.includes('vargte') && names.includes('varlte')
  return {
    ...element,
    children: element.children.flatMap((child): (XmlElement | string)[] => {
      if (typeof child === 'string') return [child]
      return isRange && child.name === 'varequal' ? [] : [withRanges(child)]
    }),
  }
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

/** The text beside the only one is the question's. */
function toResponse(item: XmlElement, element: XmlElement, isOneOfMany: boolean): LabelledResponse {
  const { ident = '', rcardinality = 'Single' } = element.attributes
  const labels = [...descendants(element, 'response_label')]
  const cardinality = rcardinality.toLowerCase()
  const [choice] = descendants(element, 'render_choice')
  return {
    id: ident,
    kind: kindOf(item, element),
    labels: labels.map((label) => label.attributes.ident ?? ''),
    text: isOneOfMany ? withoutImages(readMaterial(element)) : '',
    choices: labels.map((label) => ({
      id: label.attributes.ident ?? '',
      text: withoutImages(readMaterial(label)),
    })),
    multiple: cardinality === 'multiple',
    most: Number(choice?.attributes.maxnumber) || Number.POSITIVE_INFINITY,
  }
}

function kindOf(item: XmlElement, { name, attributes, ...element }: XmlElement): LabelledResponse['kind'] {
  if (name === 'response_lid')
    return attributes.rcardinality?.toLowerCase() === 'ordered' ? 'order' : 'choice'
  const [fib] = descendants({ name, attributes, ...element }, 'render_fib')
  const isNumber =
    name === 'response_num' ||
    /^(integer|decimal)$/i.test(fib?.attributes.fibtype ?? '') ||
    /^numerical/.test(metadataOf(item, 'question_type') ?? '') ||
    blackboardType(item) === 'Numeric'
  if (isNumber) return 'number'
  if (name !== 'response_str') throw new Skip('it asks for something that has no type here')
  return 'text'
}

/** The feedback for everybody, and that for those who are right. */
function readExplanation(item: XmlElement): string {
  const told = childrenOf(item, 'itemfeedback').filter(({ attributes: { ident = '' } }) =>
    /general|correct|solution|explanation/i.test(ident.replace(/(general_)?incorrect/gi, '')),
  )
  return joinTexts(told.map((feedback) => readMaterial(feedback).text))
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
  let alt: string | undefined
  const add = (plain: RichText) => {
    if (plain.text !== '') texts.push(plain.text)
    if (images.length === 0) alt = plain.alt
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
  return { text: texts.join('\n'), images, ...(alt === undefined ? {} : { alt }) }
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
