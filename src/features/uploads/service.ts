import type { Core } from '../../core.ts'
import { checkImage, IMAGE_BYTES } from './images.ts'
import { isPlainName } from './keys.ts'

export interface ImageFile {
  filename: string
  /** At least one byte more than is accepted of a file that is too large. */
  bytes: Buffer
}

/** Takes the images of one upload, each on its own. */
export interface ImageUpload {
  /** Stores an image under `<folder>/<filename>` over what was there; why it was refused, where it was. */
  add(folder: string, file: ImageFile): Promise<string | undefined>
}

export function uploadImages(core: Core): ImageUpload {
  const names = new Map<string, string>()
  return {
    async add(folder, { filename, bytes }) {
      if (!isPlainName(filename)) return 'The file name is not allowed'
      // Some storages take them for one file: which of them it then holds must not depend on the storage.
      const known = names.get(filename.toLowerCase())
      if (known !== undefined && known !== filename) return `The file name differs from ${known} only in case`
      const image = await checkImage(filename, bytes, IMAGE_BYTES)
      if ('error' in image) return image.error
      names.set(filename.toLowerCase(), filename)
      await core.files.put(`${folder}/${filename}`, bytes, image.contentType)
      return undefined
    },
  }
}
