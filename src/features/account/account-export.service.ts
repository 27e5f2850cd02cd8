import path from 'node:path'
import type { Readable } from 'node:stream'
import { exportFile } from '../../../schemas/account-export.schemas.ts'
import type { Core } from '../../core.ts'
import { slicesOf } from '../../formats/slices.ts'
import { toZip, type ZipFile } from '../../formats/zip-stream.ts'
import * as store from './account-export.store.ts'
import {
  type Area,
  CHAT_FILES,
  LEFT_OUT,
  LISTS,
  listSchema,
  NOTE_IMAGES,
  NOTE_PAGES,
  PROFILE,
} from './account-export-areas.ts'
import type { Source } from './account-export-rows.store.ts'

/** Most rows, or objects of a page, that are in memory at once. */
const AT_ONCE = 100

/** Throws once the person may no longer have their export: an exam that locks help has begun, or the session ended. */
type Check = () => Promise<void>

/**
 * A zip of everything that the service holds about a person, written as fast as the client reads. It breaks off where
 * `check` throws.
 */
export function exportAccount(core: Core, userId: number, check: Check): Readable {
  return toZip(listFiles({ core, userId, check }))
}

/** An export under way. */
interface Export {
  core: Core
  userId: number
  check: Check
}

/** A row of a list, in one or more pieces. */
type Pieces = string[] | AsyncIterable<string>

async function* listFiles(run: Export): AsyncGenerator<ZipFile> {
  yield { path: 'README.txt', content: describe() }
  const { title, schema } = PROFILE
  yield* writeFile('profile', exportFile('profile', title, schema), writeProfile(run))
  for (const [name, area] of Object.entries(LISTS)) yield* writeList(name, area, writeRows(run, area))
  yield* writeList('note_pages', NOTE_PAGES, writePages(run))
  const lost = new Set<number>()
  for await (const { id, fileKey } of readRows(run, store.noteImages)) {
    const file = await readFile(run, fileKey)
    if (file) yield { path: placeOf({ id, fileKey }), content: file.bytes }
    else lost.add(id)
  }
  yield* writeList('note_images', NOTE_IMAGES, writeImages(run, lost))
  const lostFiles = new Set<number>()
  for await (const row of readRows(run, store.chatFiles)) {
    const file = row.fileKey === null ? undefined : await readFile(run, row.fileKey)
    if (file) yield { path: chatFilePlace(row), content: file.bytes }
    else lostFiles.add(row.id)
  }
  yield* writeList('chat_files', CHAT_FILES, writeChatFiles(run, lostFiles))
}

function describe(): string {
  const parts = {
    profile: PROFILE,
    ...LISTS,
    note_pages: NOTE_PAGES,
    note_images: NOTE_IMAGES,
    chat_files: CHAT_FILES,
  }
  const files = Object.entries(parts).map(([name, { title }]) => `${name}.json: ${title}`)
  const leftOut = Object.entries(LEFT_OUT).map(([what, why]) => `${what}: ${why}`)
  return [
    'Everything that this service holds about you. X.schema.json says what X.json looks like; times are in UTC.',
    '',
    ...files,
    '',
    'Your password and the secrets of your sessions are in none of them. Tables that are not here either, and why:',
    '',
    ...leftOut,
    '',
  ].join('\n')
}

function* writeFile(name: string, schema: object, content: AsyncIterable<string>): Generator<ZipFile> {
  yield { path: `${name}.schema.json`, content: JSON.stringify(schema, undefined, 2) }
  yield { path: `${name}.json`, content: writeDocument(name, content) }
}

async function* writeDocument(name: string, content: AsyncIterable<string>): AsyncGenerator<string> {
  yield `{"$schema":"./${name}.schema.json","${name}":`
  yield* content
  yield '}\n'
}

function writeList(
  name: string,
  area: Pick<Area, 'title' | 'schema'>,
  rows: AsyncIterable<Pieces>,
): Generator<ZipFile> {
  return writeFile(name, listSchema(name, area), joined(rows))
}

async function* joined(rows: AsyncIterable<Pieces>): AsyncGenerator<string> {
  let separator = '[\n'
  for await (const row of rows) {
    yield separator
    yield* row
    separator = ',\n'
  }
  yield separator === ',\n' ? ']' : '[]'
}

/** The rows, read in steps; rows that were deleted meanwhile are left out. */
async function* readRows<Row>({ core, userId, check }: Export, source: Source<Row>): AsyncGenerator<Row> {
  for (const keys of slicesOf(await source.listKeys(core.db, userId), AT_ONCE)) {
    await check()
    yield* await source.listRows(core.db, userId, keys)
  }
}

/** A file can take a reader minutes. */
async function readFile({ core, check }: Export, key: string) {
  await check()
  return core.files.get(key)
}

async function* writeProfile(run: Export): AsyncGenerator<string> {
  for await (const row of readRows(run, PROFILE.source)) yield JSON.stringify(row)
}

async function* writeRows(run: Export, { source }: Area): AsyncGenerator<string[]> {
  for await (const row of readRows(run, source)) yield [JSON.stringify(row)]
}

async function* writePages(run: Export): AsyncGenerator<AsyncIterable<string>> {
  for await (const page of readRows(run, store.notePages)) yield writePage(run, page)
}

async function* writePage(
  { core, check }: Export,
  { stack, ...page }: store.NotePageRow,
): AsyncGenerator<string> {
  yield `${JSON.stringify(page).slice(0, -1)},"objects":[`
  let separator = ''
  for (const ids of slicesOf(stack, AT_ONCE)) {
    await check()
    const objects = await store.listObjects(core.db, ids)
    if (objects.length === 0) continue
    yield separator + objects.join()
    separator = ','
  }
  yield ']}'
}

async function* writeImages(run: Export, lost: ReadonlySet<number>): AsyncGenerator<string[]> {
  for await (const image of readRows(run, store.noteImages)) {
    const { id, pageId, contentType, size, width, height, createdAt } = image
    const file = lost.has(id) ? null : placeOf(image)
    yield [
      JSON.stringify({
        id,
        page_id: pageId,
        file,
        content_type: contentType,
        size,
        width,
        height,
        created_at: createdAt,
      }),
    ]
  }
}

function placeOf({ id, fileKey }: Pick<store.NoteImageRow, 'id' | 'fileKey'>): string {
  return `note_images/${id}${path.posix.extname(fileKey)}`
}

async function* writeChatFiles(run: Export, lost: ReadonlySet<number>): AsyncGenerator<string[]> {
  for await (const row of readRows(run, store.chatFiles)) {
    const { id, conversationId, messageId, name, contentType, size, width, height, createdAt } = row
    yield [
      JSON.stringify({
        id,
        conversation_id: conversationId,
        message_id: messageId,
        name,
        file: lost.has(id) ? null : chatFilePlace(row),
        type: contentType,
        size,
        width,
        height,
        created_at: createdAt,
      }),
    ]
  }
}

/** By number: names may be the same, and not every disk takes every name. */
function chatFilePlace({ id, fileKey }: store.ChatFileRow): string {
  return `chat_files/${id}${path.posix.extname(fileKey ?? '')}`
}
