import type { SyncBody } from '../../../schemas/notes.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { requireOwn } from './access.ts'
import { writeObjects } from './canvas-objects.ts'
import { placeRun, sameStack } from './stacking.ts'
import * as store from './store.ts'

/** Objects of one page. */
const MOST_OBJECTS = 20_000
/** Bytes of all objects of one notebook: what a print list has to hold. */
const MOST_BYTES = 32 * 1024 * 1024

/**
 * Applies what a device did to a page while nobody looked, in one transaction: its deletions, then its run
 * of objects from `start_index` on (contract §9, §10). Sent twice it changes nothing more. A deleted object
 * stays deleted, unless the sync carries the current version and so knows of the deletion.
 * 404, 403 `not_owner`, 409 `version_conflict` with the stored version, 409 `notes_full`.
 */
export async function syncPage(core: Core, userId: number, pageId: number, input: SyncBody) {
  const { deleted_ids: deletedIds = [], start_index: start = 0, version } = input
  const objects = writeObjects(input.objects ?? [])
  const { notebookId } = requireOwn(await store.findPage(core.db, pageId), userId)
  return core.db.transaction(async (tx) => {
    await store.lockNotebook(tx, notebookId)
    const page = await store.findPageWithStack(tx, pageId)
    if (!page) throw new AppError('not_found')
    if (version !== undefined && version !== page.version)
      throw new AppError('version_conflict', { details: { version: page.version } })

    const deleted = new Set(deletedIds)
    const stored = await store.findObjects(tx, pageId, [
      ...deleted,
      ...objects.map(({ objectId }) => objectId),
    ])
    const isDead = (id: string) => deleted.has(id) || stored.get(id)?.data === null
    const run = objects.filter(({ objectId }) => version !== undefined || !isDead(objectId))
    for (const { objectId } of run) deleted.delete(objectId)
    const gone = [...deleted].flatMap((id) => stored.get(id) ?? []).filter(({ data }) => data !== null)
    const written = run.filter(({ objectId, data }) => stored.get(objectId)?.data !== data)

    if (deleted.size > 0) await store.deleteObjects(tx, pageId, [...deleted])
    const ids = written.length > 0 ? await store.upsertObjects(tx, pageId, written) : new Map()
    const stack = placeRun(
      page.stack,
      gone.map(({ id }) => id),
      run.map(({ objectId }) => ids.get(objectId) ?? stored.get(objectId)?.id),
      start,
    )
    const restacked = !sameStack(page.stack, stack)
    if (written.length === 0 && !restacked) return { version: page.version, total: stack.length }

    const grown =
      sum(written.map(({ data }) => Buffer.byteLength(data))) -
      sum([...gone, ...written].map(({ objectId }) => Buffer.byteLength(stored.get(objectId)?.data ?? '')))
    if (stack.length > Math.max(MOST_OBJECTS, page.objectCount)) throw new AppError('notes_full')
    if (grown > 0 && (await store.sumSizes(tx, notebookId)) + grown > MOST_BYTES)
      throw new AppError('notes_full')
    await store.updatePage(tx, pageId, {
      version: page.version + 1,
      size: page.size + grown,
      ...(restacked ? { stack, objectCount: stack.length } : {}),
    })
    await store.updateNotebook(tx, notebookId)
    return { version: page.version + 1, total: stack.length }
  })
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
