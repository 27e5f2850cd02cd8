import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Category } from '../../../schemas/categories.ts'
import type { Core } from '../../core.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fileUrl } from '../uploads/addresses.ts'
import { checkImage } from '../uploads/images.ts'
import type { ImageFile } from '../uploads/service.ts'
import * as store from './store.ts'

/** An image as it was uploaded, and how many bytes are accepted of it: the generations differ in that. */
export interface CategoryImage extends ImageFile {
  largest: number
}

/** All of them by name. */
export async function listCategories(core: Core): Promise<Category[]> {
  return (await store.listCategories(core.db)).map((row) => present(core, row))
}

export async function createCategory(
  core: Core,
  name: string,
  image: CategoryImage | undefined,
): Promise<Category> {
  const imageKey = image ? await storeImage(core, name, image) : null
  return keepingOnlyUsed(core, imageKey, async () =>
    present(core, await store.insertCategory(core.db, { name, imageKey })),
  )
}

/** Changes what is given, at least one of the two; a new image takes the old one's place. */
export async function changeCategory(
  core: Core,
  id: number,
  name: string | undefined,
  image: CategoryImage | undefined,
): Promise<Category> {
  if (name === undefined && !image) throw new AppError('nothing_to_update')
  const known = await store.findCategory(core.db, id)
  if (!known) throw new AppError('not_found')
  const imageKey = image ? await storeImage(core, name ?? known.name, image) : null
  const { before, after } = await keepingOnlyUsed(core, imageKey, () =>
    core.db.transaction(async (tx) => {
      const current = await store.lockCategory(tx, id)
      if (!current) throw new AppError('not_found')
      const values = { ...(name === undefined ? {} : { name }), ...(imageKey === null ? {} : { imageKey }) }
      return { before: current, after: await store.updateCategory(tx, id, values) }
    }),
  )
  if (imageKey !== null) await dropImage(core, before.imageKey)
  return present(core, after)
}

/** Deletes it with its image; its exams stay, without a category. */
export async function deleteCategory(core: Core, id: number): Promise<void> {
  const deleted = await store.deleteCategory(core.db, id)
  if (!deleted) throw new AppError('not_found')
  await dropImage(core, deleted.imageKey)
}

/** Its key. Every image gets one of its own, so that nothing is overwritten before the row says so. */
async function storeImage(core: Core, name: string, image: CategoryImage): Promise<string> {
  if (image.bytes.length > image.largest)
    throw new AppError('payload_too_large', {
      message: `The image is larger than ${Math.floor(image.largest / 1_024)} KB`,
    })
  const checked = await checkImage(image.filename, image.bytes, image.largest)
  if ('error' in checked) throw invalidField('/image', checked.error)
  const extension = path.extname(image.filename).toLowerCase()
  const key = `Category/${slugOf(name)}_${randomBytes(6).toString('hex')}${extension}`
  await core.files.put(key, image.bytes, checked.contentType)
  return key
}

/** Letters and digits that read alike everywhere: `Physik für Ärzte` → `physik-fur-arzte`. */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return slug.slice(0, 60) || 'category'
}

/** A new image whose row was never written is of no use to anybody. */
async function keepingOnlyUsed<T>(core: Core, key: string | null, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    await dropImage(core, key)
    throw error
  }
}

/** After the commit: what happened has happened, though a file may be left over. */
async function dropImage(core: Core, key: string | null): Promise<void> {
  if (key === null) return
  try {
    await core.files.delete(key)
  } catch (error) {
    core.log.warn({ err: error, key }, 'an unused image could not be deleted')
  }
}

function present(core: Core, { id, name, imageKey }: store.CategoryRow): Category {
  return { id, name, drive_file_id: imageKey, image_url: fileUrl(core, imageKey) }
}
