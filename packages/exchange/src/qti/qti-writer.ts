import type { ExportedItem, Question } from '../question.ts'
import { encodePath } from '../texts/addresses.ts'
import { isDrawn } from '../variables/places.ts'
import { escapeXml } from '../xml.ts'
import { MANIFEST } from '../zip-archive.ts'
import { writeBlock, writeParts } from './qti-item-writer.ts'
import { canBeTemplate, writeTemplates } from './template-writer.ts'

/** What differs between the versions. */
interface Version {
  item: string
  manifest: string
  resource: string
  schema: string
  schemaVersion: string
  /** Makes an item of 2.1 one of this version. */
  rename: (item: string) => string
}

const VERSIONS = {
  '2.1': {
    item: 'http://www.imsglobal.org/xsd/imsqti_v2p1',
    manifest: 'http://www.imsglobal.org/xsd/imscp_v1p1',
    resource: 'imsqti_item_xmlv2p1',
    schema: 'QTIv2.1 Package',
    schemaVersion: '1.0.0',
    rename: (item) => item,
  },
  '3.0': {
    item: 'http://www.imsglobal.org/xsd/imsqtiasi_v3p0',
    manifest: 'http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1',
    resource: 'imsqti_item_xmlv3p0',
    schema: 'QTI Package',
    schemaVersion: '3.0.0',
    rename: toQti3,
  },
} satisfies Record<string, Version>

export type QtiVersion = keyof typeof VERSIONS

/** A file of a package, for whatever writes zips. */
export interface PackageFile {
  path: string
  content: Uint8Array | string
}

/** Whether QTI has a form for it. */
export function isQti(question: Question): boolean {
  return !isDrawn(question) || canBeTemplate(question)
}

/**
 * A QTI content package of version 2.1 or 3.0: an item for each question, its image beside it, and the manifest at the
 * end. Tags are keywords there. The format has no place for negative marks, nor for characters that XML can't contain.
 */
export async function* writeQti(
  version: QtiVersion,
  items: AsyncIterable<ExportedItem>,
): AsyncGenerator<PackageFile> {
  const names: Version = VERSIONS[version]
  const resources: string[] = []
  const images = new Set<string>()
  for await (const each of items) {
    const path = `items/question-${each.id}.xml`
    const found = await each.readImage?.()
    const image = found && { path: `images/${found.name}`, content: found.bytes }
    const address = image && `../${encodePath(image.path)}`
    const item = names.rename(writeItem(names, each, address, found?.alt))
    yield { path, content: `<?xml version="1.0" encoding="UTF-8"?>\n${item}` }
    if (image && !images.has(image.path)) {
      images.add(image.path)
      yield image
    }
    resources.push(writeResource(names, each, path, image?.path))
  }
  yield { path: MANIFEST, content: writeManifest(names, resources) }
}

function writeItem(
  version: Version,
  { id, name, question: asked, draws }: ExportedItem,
  image: string | undefined,
  alt = '',
): string {
  const templates = isDrawn(asked) ? writeTemplates(asked, draws?.() ?? []) : undefined
  const question = templates?.question ?? asked
  const { marks = '1', explanation } = question
  const { declarations, text, body, processing, outcomes = '' } = writeParts(question)
  const picture =
    image === undefined ? '' : `<p><img src="${escapeXml(image)}" alt="${escapeXml(alt)}"/></p>\n`
  const told = explanation !== ''
  const tell =
    '<setOutcomeValue identifier="FEEDBACK"><baseValue baseType="identifier">EXPLANATION</baseValue></setOutcomeValue>'
  const rules = processing + (told ? tell : '')
  const item = `<assessmentItem xmlns="${version.item}" identifier="question-${id}" title="${escapeXml(name)}" adaptive="false" timeDependent="false">
${declarations.join('\n')}
<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float" normalMaximum="${marks}"><defaultValue><value>0</value></defaultValue></outcomeDeclaration>
${outcomes}${told ? '<outcomeDeclaration identifier="FEEDBACK" cardinality="single" baseType="identifier"/>\n' : ''}${templates ? `${templates.declarations}\n${templates.processing}\n` : ''}<itemBody>
${text ?? writeBlock(question.text)}
${picture}${body}
</itemBody>
${rules && `<responseProcessing>${rules}</responseProcessing>\n`}${
  told
    ? `<modalFeedback outcomeIdentifier="FEEDBACK" identifier="EXPLANATION" showHide="show">${writeBlock(explanation)}</modalFeedback>\n`
    : ''
}</assessmentItem>
`
  return templates?.fill(item) ?? item
}

const HTML = new Set(
  'p pre br img em strong code ul ol li blockquote hr a table thead tbody tr th td'.split(' '),
)

/** `<simpleChoice matchMax="1">` is `<qti-simple-choice match-max="1">`; texts and values hold no `<`, `>` or `"`. */
function toQti3(item: string): string {
  return item
    .replace(/<(\/?)([a-z]\w*)((?:[^\w<>][^<>]*)?)>/gi, (tag, slash: string, name: string, rest: string) =>
      HTML.has(name)
        ? tag
        : `<${slash}qti-${kebabCase(name)}${rest.replace(/ (\w+)=("[^"]*")/g, (_, attribute: string, value: string) => ` ${kebabCase(attribute)}=${value}`)}>`,
    )
    .replace(
      /(<qti-modal-feedback[^<>]*>)(.*?)(<\/qti-modal-feedback>)/s,
      '$1<qti-content-body>$2</qti-content-body>$3',
    )
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function writeResource(
  version: Version,
  { id, question: { tags } }: ExportedItem,
  path: string,
  image: string | undefined,
): string {
  const files = [path, ...(image === undefined ? [] : [image])].map(
    (each) => `<file href="${escapeXml(encodePath(each))}"/>`,
  )
  const keywords = tags.map((tag) => `<keyword><string>${escapeXml(tag)}</string></keyword>`).join('')
  const metadata =
    keywords &&
    `<metadata><lom xmlns="http://ltsc.ieee.org/xsd/LOM"><general>${keywords}</general></lom></metadata>`
  return `    <resource identifier="question-${id}" type="${version.resource}" href="${path}">${metadata}${files.join('')}</resource>\n`
}

function writeManifest({ manifest, schema, schemaVersion }: Version, resources: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="${manifest}" identifier="questions">
  <metadata><schema>${schema}</schema><schemaversion>${schemaVersion}</schemaversion></metadata>
  <organizations/>
  <resources>
${resources.join('')}  </resources>
</manifest>
`
}
