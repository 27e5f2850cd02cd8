import type { Asset, ObjectsQuery } from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { inSnapshot } from '../../db/snapshot.ts'
import { listNotebookAssets } from './note-assets.service.ts'
import { requireReadable } from './notebook-access.ts'
import { toPage } from './notebook-pages.service.ts'
import * as store from './notebook-pages.store.ts'
import * as notebooks from './notebooks.store.ts'

const DEFAULT_LIMIT = 200
const LARGEST_LIMIT = 500

/**
 * Some of a page's objects in stacking order, each as JSON, with how many there are and whether the reader may see them
 * at that instant: a device reads a page in parts, and would miss what is deleted between its stack and its objects.
 */
export async function readObjects(
  core: Core,
  readerId: number,
  pageId: number,
  { start_index: start = 0, limit = DEFAULT_LIMIT }: ObjectsQuery,
): Promise<{ objects: string[]; total: number }> {
  const most = Math.min(limit, LARGEST_LIMIT)
  // Nobody has objects read that they may not see.
  await requireReadable(core, await store.findPage(core.db, pageId), readerId)
  const [page, read] = await inSnapshot(core.db, async (db) => [
    await store.findPage(db, pageId),
    await store.listObjects(db, pageId, start, most),
  ])
  await requireReadable(core, page, readerId)
  return read
}

/**
 * Every page of a notebook with its objects and assets, in order, each as JSON, read as fast as they are taken. The
 * list of pages is read at the beginning, each page's objects at its turn. It breaks off where the notebook may no
 * longer be read, as during an exam that locks help.
 */
export async function readPrintList(
  core: Core,
  readerId: number,
  notebookId: number,
): Promise<AsyncGenerator<string>> {
  const requireNotebook = async () =>
    requireReadable(core, await notebooks.findNotebook(core.db, notebookId), readerId)
  await requireNotebook()
  const [pages, assets] = await Promise.all([
    store.listPagesWithStacks(core.db, notebookId),
    listNotebookAssets(core, notebookId),
  ])
  return writePages(core, pages, assets, requireNotebook)
}

async function* writePages(
  { db }: Core,
  pages: store.StackRow[],
  assets: Map<number, Asset[]>,
  requireNotebook: () => Promise<unknown>,
): AsyncGenerator<string> {
  for (const page of pages) {
    await requireNotebook()
    const head = JSON.stringify({ ...toPage(page), assets: assets.get(page.id) ?? [] })
    const objects = await store.listStackedObjects(db, page)
    yield `${head.slice(0, -1)},"objects":[${objects.join()}]}`
  }
}
