import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Category } from '../../../schemas/categories.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { AppError, invalidField } from '../../errors.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { record } from '../audit/audit.service.ts'
import { describeChanged } from '../audit/audit-words.ts'
import { discardFile, keepFile, putNewFile, trySweepDiscardedFiles } from '../uploads/discarded-uploads.ts'
import { checkImage } from '../uploads/images.ts'
import { fileUrl } from '../uploads/upload-addresses.ts'
import type { ImageFile } from '../uploads/uploads.service.ts'
import * as store from './categories.store.ts'

/** An uploaded image, and the largest size that is accepted: the two generations differ in that. */
export interface CategoryImage extends ImageFile {
  largest: number
  asker: Asker
}

/** All of them by name. */
export async function listCategories(core: Core): Promise<Category[]> {
  return (await store.listCategories(core.db)).map((row) => toCategory(core, row))
}

export async function createCategory(
  core: Core,
  actor: Actor,
  name: string,
  image: CategoryImage | undefined,
): Promise<Category> {
  const imageKey = image ? await storeImage(core, name, image) : null
  return core.db.transaction(async (tx) => {
    if (imageKey !== null) await keepFile(tx, imageKey)
    const row = await store.insertCategory(tx, { name, imageKey })
    await record(tx, actor, {
      action: 'category.create',
      subject: ['category', row.id],
      summary: 'The category was created',
    })
    return toCategory(core, row)
  })
}

/** Changes the given fields, at least one; a new image replaces the old one. */
export async function changeCategory(
  core: Core,
  actor: Actor,
  id: number,
  name: string | undefined,
  image: CategoryImage | undefined,
): Promise<Category> {
  if (name === undefined && !image) throw new AppError('nothing_to_update')
  const known = await store.findCategory(core.db, id)
  if (!known) throw new AppError('not_found')
  const imageKey = image ? await storeImage(core, name ?? known.name, image) : null
  const changed = await core.db.transaction(async (tx) => {
    const current = await store.findCategoryForUpdate(tx, id)
    if (!current) throw new AppError('not_found')
    if (imageKey !== null) {
      await keepFile(tx, imageKey)
      await discardFile(tx, current.imageKey)
    }
    const values = { ...(name === undefined ? {} : { name }), ...(imageKey === null ? {} : { imageKey }) }
    const summary = describeChanged(
      [name === undefined ? [] : 'name', imageKey === null ? [] : 'image'].flat(),
    )
    await record(tx, actor, { action: 'category.change', subject: ['category', id], summary })
    return store.updateCategory(tx, id, values)
  })
  if (imageKey !== null) await trySweepDiscardedFiles(core)
  return toCategory(core, changed)
}

/** Deletes a category and its image. Its exams stay, and have no category then. */
export async function deleteCategory(core: Core, actor: Actor, id: number): Promise<void> {
  await core.db.transaction(async (tx) => {
    const row = await store.deleteCategory(tx, id)
    if (!row) throw new AppError('not_found')
    await discardFile(tx, row.imageKey)
    await record(tx, actor, {
      action: 'category.delete',
      subject: ['category', id],
      summary: 'The category was deleted',
    })
  })
  await trySweepDiscardedFiles(core)
}

/** Stores an image under a new key, so the old one is still there if the row isn't committed; answers the key. */
async function storeImage(core: Core, name: string, image: CategoryImage): Promise<string> {
  if (image.bytes.length > image.largest)
    throw new AppError('payload_too_large', {
      message: `The image is larger than ${Math.floor(image.largest / 1_024)} KB`,
    })
  const checked = await checkImage(core, image.filename, image.bytes, image.largest, image.asker)
  if ('error' in checked) throw invalidField('/image', checked.error)
  const extension = path.extname(image.filename).toLowerCase()
  const key = `Category/${slugOf(name)}_${randomBytes(6).toString('hex')}${extension}`
  await putNewFile(core, key, checked.bytes, checked.contentType)
  return key
}

/** Reduces a name to plain letters and digits: `Physik für Ärzte` → `physik-fur-arzte`. */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return slug.slice(0, 60) || 'category'
}

function toCategory(core: Core, { id, name, imageKey }: store.CategoryRow): Category {
  return { id, name, drive_file_id: imageKey, image_url: fileUrl(core, imageKey) }
}
