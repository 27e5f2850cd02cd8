import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Material } from '../../../schemas/materials.schemas.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { AppError, invalidField } from '../../errors.ts'
import { toFileName } from '../../formats/file-names.ts'
import { record } from '../audit/audit.service.ts'
import { lockTaughtClass, requireMember, requireOpenClass } from '../classes/class-access.service.ts'
import { discardFile, keepFile, putNewFile, trySweepDiscardedFiles } from '../uploads/discarded-uploads.ts'
import { fileUrl } from '../uploads/upload-addresses.ts'
import { ATTACHMENTS_FOLDER } from '../uploads/upload-keys.ts'
import type { Upload } from '../uploads/uploads.service.ts'
import * as store from './materials.store.ts'

const MB = 1024 * 1024
/** Bytes of one file. */
export const LARGEST_PDF = 30 * MB
const LARGEST_TEXT = 2 * MB
/** Materials of one class, and their bytes. */
const MOST_MATERIALS = 200
const MOST_BYTES = 1024 * MB
const LONGEST_TITLE = 200

const CONTENT_TYPES = {
  pdf: 'application/pdf',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
} as const
const EXTENSIONS = { pdf: '.pdf', markdown: '.md', text: '.txt' } as const

/** Newest first. */
export async function listMaterials(core: Core, viewer: Viewer, classId: number): Promise<Material[]> {
  await requireMember(core.db, viewer, classId)
  return (await store.listOfClass(core.db, classId)).map((row) => toMaterial(core, row))
}

export async function getMaterial(
  core: Core,
  viewer: Viewer,
  classId: number,
  id: number,
): Promise<Material> {
  await requireMember(core.db, viewer, classId)
  return toMaterial(core, found(await store.findMaterial(core.db, classId, id)))
}

/** 403, 404, 409 `class_archived`, before a file is read. */
export async function requireGiver(core: Core, viewer: Viewer, classId: number): Promise<void> {
  await requireOpenClass(core.db, viewer, classId)
}

/** Stores a file that a job reads. 400, 409 `too_many`, 413, 415. */
export async function addMaterial(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  upload: Upload | undefined,
  title: string | undefined,
): Promise<Material> {
  const { type, bytes, name } = checkFile(upload)
  const key = `${ATTACHMENTS_FOLDER}/${randomUUID()}${type === 'pdf' ? EXTENSIONS.pdf : ''}`
  try {
    await putNewFile(core, key, bytes, CONTENT_TYPES[type])
    const row = await core.db.transaction(async (tx) => {
      await keepFile(tx, key)
      await lockTaughtClass(tx, viewer, classId)
      const { count, bytes: taken } = await store.measureClass(tx, classId)
      if (count >= MOST_MATERIALS || taken + bytes.length > MOST_BYTES) throw new AppError('too_many')
      const inserted = await store.insertMaterial(tx, {
        classId,
        giverId: viewer.userId,
        title: title ?? [...name].slice(0, LONGEST_TITLE).join(''),
        type,
        size: bytes.length,
        fileKey: key,
        createdAt: new Date(core.clock()),
      })
      await core.jobs.add(tx, 'materials', String(inserted.id))
      const summary = `Material ${inserted.id} of ${bytes.length} bytes was added`
      await record(tx, actor, { action: 'material.create', subject: ['class', classId], summary })
      return inserted
    })
    core.jobs.wake('materials')
    return tell(core, classId, row)
  } catch (error) {
    await trySweepDiscardedFiles(core, key)
    throw error
  }
}

export async function renameMaterial(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  id: number,
  title: string,
): Promise<Material> {
  const row = await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, viewer, classId)
    const renamed = found(await store.renameMaterial(tx, classId, id, title))
    const summary = `Material ${id} was renamed`
    await record(tx, actor, { action: 'material.change', subject: ['class', classId], summary })
    return renamed
  })
  return tell(core, classId, row)
}

export async function deleteMaterial(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  id: number,
): Promise<void> {
  await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, viewer, classId)
    await discardFile(tx, found(await store.deleteMaterial(tx, classId, id)))
    const summary = `Material ${id} was deleted`
    await record(tx, actor, { action: 'material.delete', subject: ['class', classId], summary })
  })
  core.bus.publish(`class:${classId}`, {
    kind: 'frame',
    frame: { type: 'material', class_id: classId, material: { id }, deleted: true },
  })
  await trySweepDiscardedFiles(core)
}

/** Materials that one turn of the sweep deletes: each may have thousands of passages. */
const ORPHANS = 20

/** Deletes the materials of deleted classes, one after another. */
export async function deleteOrphans(core: Core): Promise<void> {
  for (let hasFound = false; !core.closing.aborted; hasFound = true) {
    const orphans = await store.listOrphans(core.db, ORPHANS)
    for (const { id, fileKey } of orphans)
      await core.db.transaction(async (tx) => {
        if (await store.deleteOrphan(tx, id)) await discardFile(tx, fileKey)
      })
    if (orphans.length === ORPHANS) continue
    if (hasFound || orphans.length > 0) await trySweepDiscardedFiles(core)
    return
  }
}

/** What a file is, by its bytes: a PDF or a text, whose name says whether it is Markdown. */
function checkFile(upload: Upload | undefined) {
  if (!upload) throw invalidField('/file', 'is required')
  const { bytes, truncated } = upload
  if (bytes.length === 0) throw invalidField('/file', 'is empty')
  const name = toFileName(upload.filename)
  const type = typeOf(bytes, name, truncated)
  if (!type)
    throw new AppError('unsupported_media_type', { message: 'Only PDF, Markdown and plain text are taken' })
  const largest = type === 'pdf' ? LARGEST_PDF : LARGEST_TEXT
  if (truncated || bytes.length > largest)
    throw new AppError('payload_too_large', { message: `The file is larger than ${largest / MB} MB` })
  return { type, bytes, name }
}

/** Characters that no text has. */
const BINARY = /[^\P{Cc}\t\n\v\f\r\x80-\x9F]/u
/** Longest beginning of a file that is decoded to see whether it is a text, in bytes. */
const LOOKED_AT = 4 * MB

function typeOf(bytes: Buffer, name: string, isCut: boolean): Material['type'] | undefined {
  // Readers accept some bytes before the header.
  const header = bytes.subarray(0, 1024).indexOf('%PDF-')
  if (header === 0 || (header > 0 && !isUtf8(bytes.subarray(0, header)))) return 'pdf'
  const start = bytes.subarray(0, LOOKED_AT)
  const isText = (isCut || start.length < bytes.length || isUtf8(start)) && !BINARY.test(start.toString())
  if (!isText) return header > 0 ? 'pdf' : undefined
  return /\.(md|markdown)$/i.test(name) ? 'markdown' : 'text'
}

/** Publishes a material as it is stored. */
export function tell(core: Core, classId: number, row: store.MaterialRow): Material {
  const material = toMaterial(core, row)
  core.bus.publish(`class:${classId}`, {
    kind: 'frame',
    frame: { type: 'material', class_id: classId, material, deleted: false },
  })
  return material
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new AppError('not_found')
  return value
}

function toMaterial(core: Core, row: store.MaterialRow): Material {
  const { id, title, type, size, pages, status, error } = row
  return {
    id,
    title,
    type,
    size,
    pages,
    unreadable_pages: row.unreadablePages,
    status,
    error,
    url: fileUrl(core, row.fileKey, { name: nameOf(row), type: CONTENT_TYPES[type] }) ?? '',
    created_at: row.createdAt.toISOString(),
  }
}

/** The name under which a browser saves it. */
function nameOf({ title, type }: store.MaterialRow): string {
  const name = toFileName(title)
  const has = type === 'markdown' ? /\.(md|markdown)$/i : new RegExp(`\\${EXTENSIONS[type]}$`, 'i')
  return has.test(name) ? name : `${name}${EXTENSIONS[type]}`
}
