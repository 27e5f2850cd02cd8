import type { ObjectsQuery } from '../../../schemas/notes.ts'
import type { Core } from '../../core.ts'
import { requireReadable } from './access.ts'
import { listNotebookAssets } from './assets.ts'
import { toPage } from './notebooks.ts'
import * as store from './store.ts'

const DEFAULT_LIMIT = 200
const LARGEST_LIMIT = 500

/** A run of a page's objects in stacking order, as JSON. 404. */
export async function readObjects(
  core: Core,
  readerId: number,
  pageId: number,
  { start_index: start = 0, limit = DEFAULT_LIMIT }: ObjectsQuery,
): Promise<string> {
  requireReadable(await store.findPage(core.db, pageId), readerId)
  const most = Math.min(limit, LARGEST_LIMIT)
  const { objects, total } = await store.listObjects(core.db, pageId, start, most)
  return `{"success":true,"objects":[${objects.join()}],"total":${total}}`
}

/** Every page of a notebook with its objects and assets, as of one moment, as JSON. 404. */
export async function readPrintList(core: Core, readerId: number, notebookId: number): Promise<string> {
  requireReadable(await store.findNotebook(core.db, notebookId), readerId)
  const pages = await core.db.transaction(
    async (tx) => {
      const stacks = await store.listPagesWithStacks(tx, notebookId)
      const objects = await store.listAllObjects(tx, stacks)
      const assets = await listNotebookAssets(core, tx, notebookId)
      return stacks.map((page, index) => {
        const head = JSON.stringify({ ...toPage(page), assets: assets.get(page.id) ?? [] })
        return `${head.slice(0, -1)},"objects":[${objects[index]?.join() ?? ''}]}`
      })
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
  return `{"success":true,"pages":[${pages.join()}]}`
}
