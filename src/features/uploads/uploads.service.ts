import type { Actor } from '../../actor.ts'
import type { Asker } from '../../admission/fair-queue.ts'
import type { Core } from '../../core.ts'
import { record } from '../audit/audit.service.ts'
import { checkImage, IMAGE_BYTES } from './images.ts'
import { isPlainName } from './upload-keys.ts'

export interface ImageFile {
  filename: string
  /** If the file is too large, at least one byte more than is accepted. */
  bytes: Buffer
}

/** Stores the images of one upload, each on its own. */
export interface ImageUpload {
  /**
   * Stores an image under `<folder>/<filename>`, replacing an older one; answers why it was refused, or undefined.
   */
  add(folder: string, file: ImageFile): Promise<string | undefined>
}

export function uploadImages(core: Core, actor: Actor, asker: Asker): ImageUpload {
  const names = new Map<string, string>()
  return {
    async add(folder, { filename, bytes }) {
      if (!isPlainName(filename)) return 'The file name is not allowed'
      // On some storages these two are the same file, so the second one is refused everywhere.
      const known = names.get(filename.toLowerCase())
      if (known !== undefined && known !== filename) return `The file name differs from ${known} only in case`
      const image = await checkImage(core, filename, bytes, IMAGE_BYTES, asker)
      if ('error' in image) return image.error
      names.set(filename.toLowerCase(), filename)
      const key = `${folder}/${filename}`
      // The file is written last: if that fails, the row is undone too.
      await core.db.transaction(async (tx) => {
        const summary = `An image of ${image.bytes.length} bytes was stored`
        await record(tx, actor, { action: 'image.upload', subject: ['image', key], summary })
        await core.files.put(key, image.bytes, image.contentType)
      })
      return undefined
    },
  }
}
