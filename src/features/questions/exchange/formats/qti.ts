import path from 'node:path'
import { decodeIfEncoded } from '../../../../formats/percent.ts'
import { decodeText, unreadable } from '../files/text.ts'
import { descendants, readElements, rootName } from '../files/xml.ts'
import { type Archive, isZip, MANIFEST, openArchive } from '../files/zip.ts'
import { createItems, type Draft, type FoundImage, type Item, type Items } from '../item.ts'
import { readDataUrl } from '../markup/images.ts'
import { readQti1 } from './qti-1.ts'
import { readQti2 } from './qti-2.ts'

type DraftItem = { label: string } & (Draft | { reason: string })
type FindImage = (address: string) => Promise<FoundImage | undefined>

/** QTI 1.2, 2.0 to 2.2 or 3.0: one document, or a content package with its images. */
export function readQti(bytes: Uint8Array): AsyncGenerator<Item> {
  return isZip(bytes) ? readPackage(bytes) : readDocument(decodeText(bytes))
}

async function* readDocument(text: string): AsyncGenerator<Item> {
  yield* withImages(readItems(text, createItems(), ''), async () => undefined)
}

async function* readPackage(bytes: Uint8Array): AsyncGenerator<Item> {
  const archive = await openArchive(bytes)
  const items = createItems()
  for (const name of await listDocuments(archive)) {
    const text = decodeText(await archive.read(name))
    const find = (address: string) => findImage(archive, path.posix.dirname(name), address)
    yield* withImages(readItems(text, items, path.posix.basename(name)), find)
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

/** In the order of the manifest, then all that it doesn't name. */
async function listDocuments({ names, read }: Archive): Promise<string[]> {
  const documents = names.filter((name) => /\.xml$/i.test(name))
  const manifest = documents.find((name) => path.posix.basename(name) === MANIFEST)
  if (manifest === undefined) return documents
  const folder = path.posix.dirname(manifest)
  const named: string[] = []
  for (const resource of readElements(decodeText(await read(manifest)), new Set(['resource'])))
    for (const { attributes } of [resource, ...descendants(resource, 'file')])
      named.push(path.posix.join(folder, decodeIfEncoded(attributes.href ?? '')))
  return [...new Set([...named.filter((name) => documents.includes(name)), ...documents])].filter(
    (name) => name !== manifest,
  )
}

async function* withImages(drafts: Iterable<DraftItem>, find: FindImage): AsyncGenerator<Item> {
  for (const draft of drafts) {
    if ('reason' in draft) yield draft
    else {
      const { label, question, imageAddress } = draft
      const image =
        imageAddress === undefined ? undefined : (readDataUrl(imageAddress) ?? (await find(imageAddress)))
      if (image) yield { label, question, image }
      else if (imageAddress === undefined) yield { label, question }
      else yield { label, reason: 'its image is not in the file' }
    }
  }
}

/** Looks beside the document, at the package's root, and where courses keep their files. */
async function findImage(archive: Archive, folder: string, address: string): Promise<FoundImage | undefined> {
  const [plain = ''] = decodeIfEncoded(address).split('?')
  const local = plain.replace(/^(?:\$IMS-CC-FILEBASE\$|%%LINKPATH%%)\/?/, '').replace(/^\/+/, '')
  const exact = [path.posix.join(folder, local), path.posix.normalize(local)].find(archive.has)
  const name = exact ?? archive.names.find((each) => each.endsWith(`/${local}`))
  return name === undefined || local === '' ? undefined : { name, bytes: await archive.read(name) }
}
