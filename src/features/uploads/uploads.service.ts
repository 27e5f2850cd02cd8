import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { record } from '../audit/audit.service.ts'
import { checkImage, IMAGE_BYTES } from './images.ts'
import { isPlainName } from './upload-keys.ts'

/** A file as it was uploaded; `bytes` beyond the largest that is accepted may be cut. */
export interface Upload {
  filename: string
  bytes: Buffer
  truncated: boolean
}

export interface ImageFile {
  filename: string
  /** If the file is too large, at least one byte more than is accepted. */
  bytes: Buffer
}

/** An image that may be stored under its name in any folder. */
export interface AcceptedImage {
  filename: string
  bytes: Buffer
  contentType: string
}

/** Stores the images of one upload, each on its own. */
export interface ImageUpload {
  /** What is to be stored of a file, or why it is refused. */
  check(file: ImageFile): Promise<AcceptedImage | { error: string }>
  /** Stores an image under `<folder>/<filename>`, replacing an older one. */
  store(folder: string, image: AcceptedImage): Promise<void>
}

export function uploadImages(core: Core, actor: Actor, asker: Asker): ImageUpload {
  const names = new Map<string, string>()
  return {
    async check({ filename, bytes }) {
      if (!isPlainName(filename)) return { error: 'The file name is not allowed' }
      // On some storages these two are the same file, so the second one is refused everywhere.
      const known = names.get(filename.toLowerCase())
      if (known !== undefined && known !== filename)
        return { error: `The file name differs from ${known} only in case` }
      const image = await checkImage(core, filename, bytes, IMAGE_BYTES, asker)
      if ('error' in image) return image
      names.set(filename.toLowerCase(), filename)
      return { filename, bytes: image.bytes, contentType: image.contentType }
    },

    async store(folder, { filename, bytes, contentType }) {
      const key = `${folder}/${filename}`
      // The file is written last: if that fails, the row is undone too.
      await core.db.transaction(async (tx) => {
        const summary = `An image of ${bytes.length} bytes was stored`
        await record(tx, actor, { action: 'image.upload', subject: ['image', key], summary })
        await core.files.put(key, bytes, contentType)
      })
    },
  }
}
