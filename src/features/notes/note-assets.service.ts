import { randomUUID } from 'node:crypto'
import type { Asset } from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError, invalidField } from '../../errors.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { keepFile, putNewFile, trySweepDiscardedFiles } from '../uploads/discarded-uploads.ts'
import { claimRoom, requireRoom } from '../uploads/file-room.service.ts'
import { checkImage } from '../uploads/images.ts'
import { fileUrl } from '../uploads/upload-addresses.ts'
import type { Upload } from '../uploads/uploads.service.ts'
import * as store from './note-assets.store.ts'
import { requireOwn, requireReadable } from './notebook-access.ts'
import * as pages from './notebook-pages.store.ts'

/** Bytes of one image, a photograph of a blackboard say. */
export const LARGEST_IMAGE = 5 * 1024 * 1024
/** Images of one page. */
const MOST_ASSETS = 200

export async function listAssets(core: Core, readerId: number, pageId: number): Promise<Asset[]> {
  await requireReadable(core, await pages.findPage(core.db, pageId), readerId)
  return (await store.listAssets(core.db, pageId)).map((row) => toAsset(core, row))
}

/** The assets of a notebook that the caller may read, by page. */
export async function listNotebookAssets(core: Core, notebookId: number): Promise<Map<number, Asset[]>> {
  const byPage = Map.groupBy(await store.listNotebookAssets(core.db, notebookId), ({ pageId }) => pageId)
  return new Map([...byPage].map(([pageId, rows]) => [pageId, rows.map((row) => toAsset(core, row))]))
}

export async function getAsset(core: Core, readerId: number, id: number): Promise<Asset> {
  return toAsset(core, await requireReadable(core, await store.findAsset(core.db, id), readerId))
}

/** 400 for a file that is no image, 409 `notes_full` or `too_many`. */
export async function addAsset(
  core: Core,
  userId: number,
  pageId: number,
  upload: Upload | undefined,
  asker: Asker,
): Promise<Asset> {
  requireOwn(await pages.findPage(core.db, pageId), userId)
  await requirePlace(core.db, pageId)
  await requireRoom(core.db, userId, upload?.bytes.length ?? 0)
  const file = await storeImage(core, upload, asker)
  const row = await keepImage(core, userId, file, undefined, async (tx) => {
    // Behind the lock of the person's row: uploads that come at once are counted one after another.
    await requirePlace(tx, pageId)
    return store.insertAsset(tx, { pageId, ...file })
  })
  return toAsset(core, row)
}

/** 409 `notes_full` if a page has no place for another image. */
async function requirePlace(db: Executor, pageId: number): Promise<void> {
  if ((await store.countAssets(db, pageId)) >= MOST_ASSETS) throw new AppError('notes_full')
}

/** Replaces the image. */
export async function replaceAsset(
  core: Core,
  userId: number,
  id: number,
  upload: Upload | undefined,
  asker: Asker,
): Promise<Asset> {
  const before = requireOwn(await store.findAsset(core.db, id), userId)
  await requireRoom(core.db, userId, upload?.bytes.length ?? 0, before.size)
  const file = await storeImage(core, upload, asker)
  const row = await keepImage(core, userId, file, before.size, (tx) => store.updateAsset(tx, id, file))
  await trySweepDiscardedFiles(core)
  return toAsset(core, row)
}

export async function deleteAsset(core: Core, userId: number, id: number): Promise<void> {
  requireOwn(await store.findAsset(core.db, id), userId)
  await store.deleteAsset(core.db, id)
  await trySweepDiscardedFiles(core)
}

async function storeImage(core: Core, upload: Upload | undefined, asker: Asker) {
  if (!upload) throw invalidField('/image', 'is required')
  if (upload.truncated) {
    const message = `The image is larger than ${LARGEST_IMAGE / 1024 / 1024} MB`
    throw new AppError('payload_too_large', { message })
  }
  const checked = await checkImage(core, upload.filename, upload.bytes, LARGEST_IMAGE, asker)
  if ('error' in checked) throw invalidField('/image', checked.error)
  const fileKey = `Notes/${randomUUID()}.${checked.contentType.replace('image/', '')}`
  const { bytes, ...described } = checked
  await putNewFile(core, fileKey, bytes, described.contentType)
  return { fileKey, size: bytes.length, ...described }
}

/** Keeps a stored image with the row by which `write` refers to it. A refused one is deleted at once. */
async function keepImage(
  core: Core,
  userId: number,
  { fileKey, size }: { fileKey: string; size: number },
  replaced: number | undefined,
  write: (tx: Executor) => Promise<store.AssetRow | undefined>,
): Promise<store.AssetRow> {
  try {
    return await core.db.transaction(async (tx) => {
      await keepFile(tx, fileKey)
      await claimRoom(tx, userId, size, replaced)
      const row = await write(tx)
      if (!row) throw new AppError('not_found')
      return row
    })
  } catch (error) {
    await trySweepDiscardedFiles(core, fileKey)
    throw error
  }
}

function toAsset(core: Core, row: store.AssetRow): Asset {
  return {
    id: row.id,
    url: fileUrl(core, row.fileKey) ?? '',
    content_type: row.contentType,
    size: row.size,
    width: row.width,
    height: row.height,
  }
}
