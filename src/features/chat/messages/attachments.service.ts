import { randomUUID } from 'node:crypto'
import type { Attachment } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import type { StoredAttachment } from '../../../db/tables/chat.tables.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { toFileName } from '../../../formats/file-names.ts'
import { isImageType } from '../../../formats/image-types.ts'
import type { Asker } from '../../../scheduling/fair-queue.ts'
import { keepFile, putNewFile, trySweepDiscardedFiles } from '../../uploads/discarded-uploads.ts'
import { claimRoom, requireRoom } from '../../uploads/file-room.service.ts'
import { prepareImage } from '../../uploads/image-decoding.ts'
import { fileUrl } from '../../uploads/upload-addresses.ts'
import { ATTACHMENTS_FOLDER } from '../../uploads/upload-keys.ts'
import type { Upload } from '../../uploads/uploads.service.ts'
import { findMember } from '../conversations/conversations.store.ts'
import * as store from './attachments.store.ts'
import type { Send } from './sending.store.ts'

/** Bytes of one file. */
export const LARGEST_FILE = 25 * 1024 * 1024
/** What is stored of a file whose content says nothing. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** 404, 403 `not_connected`. */
export function requireUploader(core: Core, userId: number, conversationId: number): Promise<void> {
  return requireSender(core.db, userId, conversationId)
}

async function requireSender(db: Executor, userId: number, conversationId: number): Promise<void> {
  const member = await findMember(db, conversationId, userId)
  if (!member) throw new AppError('not_found')
  if (!member.canSend) throw new AppError('not_connected')
}

/**
 * Stores a file that may be sent within a day. Images are decoded and encoded anew, without what cameras write into
 * them; anything else is kept as it is. 400, 404, 403 `not_connected`, 409 `too_many`, 413.
 */
export async function addAttachment(
  core: Core,
  userId: number,
  conversationId: number,
  upload: Upload | undefined,
  asker: Asker,
): Promise<Attachment> {
  if (!upload) throw invalidField('/file', 'is required')
  if (upload.truncated)
    throw new AppError('payload_too_large', {
      message: `The file is larger than ${LARGEST_FILE / 1024 / 1024} MB`,
    })
  if (upload.bytes.length === 0) throw invalidField('/file', 'is empty')
  await requireRoom(core.db, userId, upload.bytes.length)
  const { file, preview, ...described } = await prepareFile(core, upload.bytes, asker)
  const stored = { fileKey: file.key, thumbnailKey: preview?.key ?? null }
  try {
    await putNewFile(core, file.key, file.bytes, described.contentType)
    if (preview) await putNewFile(core, preview.key, preview.bytes, 'image/webp')
    const row = await core.db.transaction(async (tx) => {
      await keepFile(tx, file.key)
      if (preview) await keepFile(tx, preview.key)
      const name = toFileName(upload.filename)
      await claimRoom(tx, userId, file.bytes.length)
      await requireSender(tx, userId, conversationId)
      return store.insertAttachment(tx, {
        conversationId,
        ownerId: userId,
        name,
        size: file.bytes.length,
        ...described,
        ...stored,
      })
    })
    return toAttachment(core, toStored(row))
  } catch (error) {
    await trySweepDiscardedFiles(core, file.key)
    if (preview) await trySweepDiscardedFiles(core, preview.key)
    throw error
  }
}

/** What is stored of an upload. Only images that were decoded have keys that end like an image's. */
async function prepareFile(core: Core, bytes: Buffer, asker: Asker) {
  const key = `${ATTACHMENTS_FOLDER}/${randomUUID()}`
  const { fileTypeFromBuffer } = await import('file-type')
  const contentType = (await fileTypeFromBuffer(bytes))?.mime ?? UNKNOWN_TYPE
  const image = isImageType(contentType)
    ? await core.gate.decoding.run(asker, () => prepareImage(bytes))
    : undefined
  if (!image || 'error' in image)
    return {
      contentType: image?.error === 'no image' ? UNKNOWN_TYPE : contentType,
      width: null,
      height: null,
      file: { key, bytes },
      preview: undefined,
    }
  return {
    contentType,
    width: image.width,
    height: image.height,
    file: { key: `${key}.${contentType.replace('image/', '')}`, bytes: Buffer.from(image.bytes) },
    preview: { key: `${key}.preview.webp`, bytes: Buffer.from(image.preview) },
  }
}

/** A file with fresh addresses. 404 for others than members, and for what isn't sent for others than its owner. */
export async function getAttachment(core: Core, userId: number, id: number): Promise<Attachment> {
  const row = await store.findAttachmentFor(core.db, id, userId)
  if (!row) throw new AppError('not_found')
  return toAttachment(core, toStored(row))
}

/** The files of these messages, by message, for whoever decides about reports of them. */
export async function listReportedFiles(
  core: Core,
  messageIds: number[],
): Promise<Map<number, Attachment[]>> {
  const rows = messageIds.length === 0 ? [] : await store.listAttachmentsOf(core.db, messageIds)
  const files = Map.groupBy(rows, ({ messageId }) => messageId ?? 0)
  return new Map([...files].map(([id, own]) => [id, own.map((row) => toAttachment(core, toStored(row)))]))
}

/** Deletes one's own file before it is sent. 404, 403 `not_owner`, 409 `already_sent`. */
export async function deleteAttachment(core: Core, userId: number, id: number): Promise<void> {
  const row = await store.findAttachmentFor(core.db, id, userId)
  if (!row) throw new AppError('not_found')
  if (row.ownerId !== userId) throw new AppError('not_owner')
  if (!(await store.deleteUnsent(core.db, id, userId)))
    throw new AppError((await store.findAttachmentFor(core.db, id, userId)) ? 'already_sent' : 'not_found')
  await trySweepDiscardedFiles(core)
}

/** 400 `attachment_gone`, `invalid_attachment` unless all of these files can be sent. */
export async function requireUnsent(core: Core, send: Send): Promise<void> {
  const unsent = await store.listUnsent(core.db, send)
  if (unsent.some(({ isGone }) => isGone)) throw new AppError('attachment_gone')
  if (unsent.length < send.attachmentIds.length) throw new AppError('invalid_attachment')
}

/** Lets files go that nobody sent within a day. */
export function expireUnsent(core: Core): Promise<void> {
  return store.expireUnsent(core.db)
}

/** A file as clients see it, with addresses that are valid for a while. */
export function toAttachment(core: Core, { key, thumbnail, ...file }: StoredAttachment): Attachment {
  return {
    ...file,
    url: fileUrl(core, key, { name: file.name, type: file.type }) ?? '',
    thumbnail_url: fileUrl(core, thumbnail),
  }
}

function toStored(row: store.AttachmentRow): StoredAttachment {
  const { id, name, contentType, size, width, height, fileKey, thumbnailKey } = row
  return { id, name, type: contentType, size, width, height, key: fileKey ?? '', thumbnail: thumbnailKey }
}
