import { randomUUID } from 'node:crypto'
import type { Asset } from '../../../schemas/notes.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fileUrl } from '../uploads/addresses.ts'
import { keepFile, putNewFile, trySweepDiscardedFiles } from '../uploads/discarded.ts'
import { checkImage } from '../uploads/images.ts'
import { requireOwn, requireReadable } from './access.ts'
import * as assetStore from './assets-store.ts'
import * as store from './store.ts'

/** Bytes of one image, a photograph of a blackboard say. */
export const LARGEST_IMAGE = 5 * 1024 * 1024
/** Images of one page. */
const MOST_ASSETS = 200

/** An image as it was uploaded; `bytes` beyond the largest may be cut. */
export interface Upload {
  filename: string
  bytes: Buffer
  truncated: boolean
}

/** 404. */
export async function listAssets(core: Core, readerId: number, pageId: number): Promise<Asset[]> {
  requireReadable(await store.findPage(core.db, pageId), readerId)
  return (await assetStore.listAssets(core.db, pageId)).map((row) => toAsset(core, row))
}

/** The assets of a notebook that the caller may read, by page. */
export async function listNotebookAssets(
  core: Core,
  db: Executor,
  notebookId: number,
): Promise<Map<number, Asset[]>> {
  const byPage = Map.groupBy(await assetStore.listNotebookAssets(db, notebookId), ({ pageId }) => pageId)
  return new Map([...byPage].map(([pageId, rows]) => [pageId, rows.map((row) => toAsset(core, row))]))
}

/** 404. */
export async function readAsset(core: Core, readerId: number, id: number): Promise<Asset> {
  return toAsset(core, requireReadable(await assetStore.findAsset(core.db, id), readerId))
}

/** 404, 403 `not_owner`, 400 for what is no image, 409 `notes_full`. */
export async function addAsset(
  core: Core,
  userId: number,
  pageId: number,
  upload: Upload | undefined,
): Promise<Asset> {
  requireOwn(await store.findPage(core.db, pageId), userId)
  if ((await assetStore.countAssets(core.db, pageId)) >= MOST_ASSETS) throw new AppError('notes_full')
  const file = await storeImage(core, upload)
  const row = await core.db.transaction(async (tx) => {
    await keepFile(tx, file.fileKey)
    return assetStore.insertAsset(tx, { pageId, ...file })
  })
  return toAsset(core, row)
}

/** Another image in its place. 404, 403 `not_owner`, 400 for what is no image. */
export async function replaceAsset(
  core: Core,
  userId: number,
  id: number,
  upload: Upload | undefined,
): Promise<Asset> {
  requireOwn(await assetStore.findAsset(core.db, id), userId)
  const file = await storeImage(core, upload)
  const row = await core.db.transaction(async (tx) => {
    await keepFile(tx, file.fileKey)
    const changed = await assetStore.updateAsset(tx, id, file)
    if (!changed) throw new AppError('not_found')
    return changed
  })
  await trySweepDiscardedFiles(core)
  return toAsset(core, row)
}

/** 404, 403 `not_owner`. */
export async function deleteAsset(core: Core, userId: number, id: number): Promise<void> {
  requireOwn(await assetStore.findAsset(core.db, id), userId)
  await assetStore.deleteAsset(core.db, id)
  await trySweepDiscardedFiles(core)
}

async function storeImage(core: Core, upload: Upload | undefined) {
  if (!upload) throw invalidField('/image', 'is required')
  if (upload.truncated) throw invalidField('/image', `is larger than ${LARGEST_IMAGE / 1024 / 1024} MB`)
  const checked = await checkImage(upload.filename, upload.bytes, LARGEST_IMAGE)
  if ('error' in checked) throw invalidField('/image', checked.error)
  const fileKey = `Notes/${randomUUID()}.${checked.contentType.replace('image/', '')}`
  await putNewFile(core, fileKey, upload.bytes, checked.contentType)
  return { fileKey, size: upload.bytes.length, ...checked }
}

function toAsset(core: Core, row: assetStore.AssetRow): Asset {
  return {
    id: row.id,
    url: fileUrl(core, row.fileKey) ?? '',
    content_type: row.contentType,
    size: row.size,
    width: row.width,
    height: row.height,
  }
}
