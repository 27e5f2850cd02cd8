import type { FastifyPluginAsync } from 'fastify'
import { ImagesAnswer, ImagesFields, ImagesForm } from '../../../schemas/uploads.schemas.ts'
import type { Core } from '../../core.ts'
import { AppError, invalidField } from '../../errors.ts'
import { actorOf } from '../../http/callers.ts'
import { endSignal } from '../../http/deadline.ts'
import { checkFields, readParts, readUploadedFile, takesForm } from '../../http/form-body.ts'
import { operations } from '../../http/operations.ts'
import { askerOf } from '../../http/request-log.ts'
import { IMAGE_BYTES } from './images.ts'
import { isSubjectFolder } from './upload-keys.ts'
import { type AcceptedImage, uploadImages } from './uploads.service.ts'

/** Files of one upload. */
const MOST_FILES = 1_000
/** For decoding and storing them: small ones have all come long before. Proxies wait a little longer. */
const TIMEOUT_MS = 120_000
/** Bytes of images that may come before the field with their folder: they wait in memory. */
const MOST_WAITING = 32 * 1024 * 1024

/** Question images (docs/protocol/http.md#questions), at `/api/v01/admin/images`. */
export const imageAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: images')

  operation('uploadImages', 'POST /', {
    summary: 'Upload images into a folder',
    description:
      'An image replaces one of the same name. Files that are refused are named in `failed`; the others are stored.',
    ...takesForm,
    timeoutMs: TIMEOUT_MS,
    body: ImagesForm,
    answer: ImagesAnswer,
    run: async (request, reply) => {
      const end = endSignal(request, reply)
      const upload = uploadImages(core, actorOf(request), askerOf(request))
      const answer: ImagesAnswer = { success: true, uploaded: 0, failed: [] }
      let folder: string | undefined
      const waiting: AcceptedImage[] = []
      let waitingBytes = 0

      async function store(into: string, image: AcceptedImage): Promise<void> {
        end.throwIfAborted()
        await upload.store(into, image)
        answer.uploaded += 1
      }

      // One byte more than is accepted shows that a file is too large.
      for await (const part of readParts(request, { largest: IMAGE_BYTES + 1, files: MOST_FILES })) {
        if (!('stream' in part)) {
          if (part.field === 'subject_folder_id') folder = readFolder(part.value)
          continue
        }
        const file = await readUploadedFile(part)
        if (file?.field !== 'images') continue
        end.throwIfAborted()
        const image = await upload.check(file)
        if ('error' in image) answer.failed.push({ filename: file.filename, error: image.error })
        else if (folder !== undefined) await store(folder, image)
        else {
          waiting.push(image)
          waitingBytes += image.bytes.length
          if (waitingBytes > MOST_WAITING)
            throw new AppError('payload_too_large', {
              message: 'Send subject_folder_id before so many images',
            })
        }
      }
      const into = folder ?? readFolder(undefined)
      for (const image of waiting) await store(into, image)
      if (answer.uploaded + answer.failed.length === 0) throw invalidField('/images', 'is required')
      return answer
    },
  })
}

function readFolder(value: unknown): string {
  const { subject_folder_id: folder } = checkFields(
    ImagesFields,
    value === undefined ? {} : { subject_folder_id: value },
  )
  if (!isSubjectFolder(folder)) throw invalidField('/subject_folder_id', 'is not a plain folder name')
  return folder
}
