import path from 'node:path'
import { unreadable } from '../file-error.ts'
import { createItems, type Draft, described, type Items, joinTexts, readTags, Skip } from '../items.ts'
import type { Image, Item } from '../question.ts'
import { decodeAddress } from '../texts/addresses.ts'
import { readDataUrl } from '../texts/data-addresses.ts'
import { decodeText } from '../texts/decoding.ts'
import { childOf, descendants, readElements, rootName, textOf, type XmlElement } from '../xml.ts'
import { type Archive, isZip, MANIFEST, openArchive } from '../zip-archive.ts'
import { readQti1 } from './qti-1.ts'
import { readPassage, readQti2 } from './qti-2.ts'

type DraftItem = { label: string } & (Draft | { reason: string } | { note: string })
/** More than any image may have: of a larger one this is enough to refuse it. */
const MOST_OF_AN_IMAGE = 1024 * 1024

/** Images and passages. */
type FindFile = (address: string) => Promise<Image | undefined>

/** QTI 1.2, 2.0 to 2.2 or 3.0: one document, or a content package with its images. */
export function readQti(bytes: Uint8Array): AsyncGenerator<Item> {
  return isZip(bytes) ? readPackage(bytes) : readDocument(decodeText(bytes))
}

async function* readDocument(text: string): AsyncGenerator<Item> {
  yield* completed(readItems(text, createItems(), ''), async () => undefined)
}

async function* readPackage(bytes: Uint8Array): AsyncGenerator<Item> {
  const archive = await openArchive(bytes)
  const items = createItems()
  for (const [name, tags] of await listDocuments(archive)) {
    const content = await archive.read(name)
    // Only those of XML are sure to be documents by their names.
    if (!/\.xml$/i.test(name) && !looksLikeXml(content)) continue
    const text = decodeText(content)
    const find = (address: string) => findFile(archive, path.posix.dirname(name), address)
    for await (const item of completed(readItems(text, items, path.posix.basename(name)), find))
      yield 'question' in item ? { ...item, question: { ...item.question, tags } } : item
  }
}

/** Other documents of the package are read too, so a malicious one refuses the whole package. */
function* readItems(text: string, items: Items, fileName: string): Generator<DraftItem> {
  const read = qtiReaderOf(rootName(text))
  if (read) yield* read(text, items, fileName)
  else for (const _ of readElements(text, new Set())) throw unreadable('The XML holds no questions')
}

/** What reads documents with this root element: those of QTI 1, or of 2 and 3; undefined for others. */
export function qtiReaderOf(root: string) {
  if (root === 'questestinterop') return readQti1
  return /^(qti-)?assessment-?item$/i.test(root) ? readQti2 : undefined
}

/** Blackboard's documents end with `dat`, those of Canvas with `xml.qti`. */
const DOCUMENT = /\.(xml|dat|qti)$/i

function looksLikeXml(content: Uint8Array): boolean {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, 200)).toString(
    'latin1',
  )
  return /^[\xef\xbb\xbf\xfe\xff\s\0]*</.test(head)
}

/** The tags of each document, in the order of a test, then of the manifest, then of all that it doesn't name. */
async function listDocuments({ names, read }: Archive): Promise<Map<string, string[]>> {
  const documents = new Set(names.filter((name) => DOCUMENT.test(name)))
  const manifest = [...documents].find((name) => path.posix.basename(name) === MANIFEST)
  const listed = new Map<string, string[]>()
  const ordered: string[] = []
  if (manifest !== undefined) {
    documents.delete(manifest)
    for (const resource of readElements(decodeText(await read(manifest)), new Set(['resource'])))
      for (const element of [resource, ...descendants(resource, 'file')]) {
        const href = decodeAddress(element.attributes.href ?? '')
        const name = path.posix.join(path.posix.dirname(manifest), href)
        const tags = element === resource ? readKeywords(resource) : []
        if (documents.has(name)) listed.set(name, [...(listed.get(name) ?? []), ...tags])
        if (
          documents.has(name) &&
          element === resource &&
          /^imsqti_test/i.test(resource.attributes.type ?? '')
        )
          ordered.push(...readOrderOfTest(decodeText(await read(name)), name))
      }
  }
  for (const name of documents) if (!listed.has(name)) listed.set(name, [])
  const first = new Set(ordered.filter((name) => listed.has(name)))
  return new Map([...first, ...listed.keys()].map((name) => [name, listed.get(name) ?? []]))
}

/** The documents of the items in the order in which a test asks them. */
function readOrderOfTest(text: string, name: string): string[] {
  return [...readElements(text, new Set(['assessmentItemRef', 'qti-assessment-item-ref']))].map(
    ({ attributes }) => path.posix.join(path.posix.dirname(name), decodeAddress(attributes.href ?? '')),
  )
}

/** The keywords of LOM, the metadata of packages; its versions name a keyword's text differently. */
function readKeywords(resource: XmlElement): string[] {
  const keywords = [...descendants(childOf(resource, 'metadata'), 'keyword')]
  return readTags(keywords.flatMap((each) => [...descendants(each, 'string', 'langstring')]).map(textOf))
}

/** The questions with what stands beside them in the package: passages and images. */
async function* completed(drafts: Iterable<DraftItem>, find: FindFile): AsyncGenerator<Item> {
  for (const draft of drafts) {
    if (!('question' in draft)) {
      yield draft
      continue
    }
    const { label, imageAddress, imageAlt, passages = [], lost = [] } = draft
    const passage = await readPassages(passages, find)
    const image =
      imageAddress === undefined ? undefined : (readDataUrl(imageAddress) ?? (await find(imageAddress)))
    if (typeof passage !== 'string') yield { label, ...passage }
    else if (imageAddress !== undefined && !image) yield { label, reason: 'its image is not in the file' }
    else {
      const question = { ...draft.question, text: joinTexts([passage, draft.question.text]) }
      yield {
        label,
        question,
        ...(image ? { image: described(image, imageAlt) } : {}),
        ...(lost.length > 0 ? { lost } : {}),
      }
    }
  }
}

async function readPassages(
  addresses: readonly string[],
  find: FindFile,
): Promise<string | { reason: string }> {
  const texts: string[] = []
  for (const address of addresses) {
    const file = await find(address)
    if (!file) return { reason: 'its passage is not in the file' }
    try {
      const { text, images } = readPassage(decodeText(file.bytes))
      if (images.length > 0) return { reason: 'its passage has an image' }
      texts.push(text)
    } catch (error) {
      if (error instanceof Skip) return { reason: error.message }
      throw error
    }
  }
  return joinTexts(texts)
}

/** Looks beside the document, at the package's root, and where courses keep their files. */
async function findFile(archive: Archive, folder: string, address: string): Promise<Image | undefined> {
  const [plain = ''] = decodeAddress(address).split('?')
  const local = plain.replace(/^(?:\$IMS-CC-FILEBASE\$|%%LINKPATH%%)\/?/, '').replace(/^\/+/, '')
  const exact = [path.posix.join(folder, local), path.posix.normalize(local)].find(archive.has)
  const name = exact ?? archive.names.find((each) => each.endsWith(`/${local}`))
  return name === undefined || local === ''
    ? undefined
    : { name, bytes: await archive.read(name, MOST_OF_AN_IMAGE) }
}
