import type { SyncBody } from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { writeObjects } from './canvas-objects.ts'
import { requireOwn } from './notebook-access.ts'
import * as store from './notebook-pages.store.ts'
import * as notebooks from './notebooks.store.ts'
import { placeRun, sameStack } from './stacking.ts'

/** Objects of one page. */
const MOST_OBJECTS = 20_000
/** Objects that one page has or had: a deleted one is remembered as long as its page exists. */
const MOST_IDS = 100_000
/** Bytes of all objects of one notebook: what a print list has to hold. */
const MOST_BYTES = 32 * 1024 * 1024
/** Bytes of all objects of one person's notebooks, with `ID_BYTES` for each id that is or was there. */
const MOST_BYTES_OF_PERSON = 1024 ** 3
const ID_BYTES = 128

/**
 * Applies the changes of a device to a page, in one transaction: its deletions, then its objects from `start_index`
 * on (docs/protocol/http.md#notes). Sent twice it changes nothing more. A deleted object stays deleted unless the
 * sync carries the current version: then its device knew of the deletion and wants the object back. 409
 * `version_conflict` with the stored version, `notes_full` if the page or its notebook is full, `too_many` if all notes
 * of this person are.
 */
export async function syncPage(core: Core, userId: number, pageId: number, input: SyncBody) {
  const { deleted_ids: deletedIds = [], start_index: start = 0, version } = input
  const objects = writeObjects(input.objects ?? [])
  const { notebookId } = requireOwn(await store.findPage(core.db, pageId), userId)
  return core.db.transaction(async (tx) => {
    if (objects.length > 0) await lockPerson(tx, userId)
    await notebooks.lockNotebook(tx, notebookId)
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
    const ids =
      written.length > 0 ? await store.upsertObjects(tx, pageId, written) : new Map<string, number>()
    const stack = placeRun(
      page.stack,
      gone.map(({ id }) => id),
      // Each has just been written or is stored.
      run.map(({ objectId }) => (ids.get(objectId) ?? stored.get(objectId)?.id) as number),
      start,
    )
    const restacked = !sameStack(page.stack, stack)
    if (written.length === 0 && !restacked) return { version: page.version, total: stack.length }

    const grown =
      sum(written.map(({ data }) => Buffer.byteLength(data))) -
      sum([...gone, ...written].map(({ objectId }) => Buffer.byteLength(stored.get(objectId)?.data ?? '')))
    const added = written.filter(({ objectId }) => !stored.has(objectId)).length
    const remembered = page.objectCount + page.tombstones + added
    if (stack.length > Math.max(MOST_OBJECTS, page.objectCount)) throw new AppError('notes_full')
    if (added > 0 && remembered > MOST_IDS) throw new AppError('notes_full')
    if (grown > 0 && (await store.sumSizes(tx, notebookId)) + grown > MOST_BYTES)
      throw new AppError('notes_full')
    const more = grown + added * ID_BYTES
    if (more > 0 && (await store.sumSizesOf(tx, userId, ID_BYTES)) + more > MOST_BYTES_OF_PERSON)
      throw new AppError('too_many')
    await store.updatePage(tx, pageId, {
      version: page.version + 1,
      size: page.size + grown,
      ...(restacked ? { stack, objectCount: stack.length, tombstones: remembered - stack.length } : {}),
    })
    await notebooks.updateNotebook(tx, notebookId)
    return { version: page.version + 1, total: stack.length }
  })
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
