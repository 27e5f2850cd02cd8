import type { FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { AppError } from '../errors.ts'
import { compileParameters, type Validate } from './validation.ts'

export interface UploadedFile {
  field: string
  filename: string
  bytes: Buffer
  /** True where the file was longer than `largest`: `bytes` holds only its beginning. */
  truncated: boolean
}

export interface FormOptions {
  /** Bytes of one file that are kept; what a form holds beyond them is read past. */
  largest: number
  /** Files that are kept; more are a 413. */
  files: number
}

const compiled = new WeakMap<TObject, Validate>()

/**
 * A multipart form as its checked fields (text, numbers and booleans as their schema says) and its files.
 * 415 for anything but multipart, 413 past its bounds, 400 for fields that don't fit.
 */
export async function readForm<T extends TObject>(
  request: FastifyRequest,
  fields: T,
  { largest, files: most }: FormOptions,
): Promise<{ fields: Static<T>; files: UploadedFile[] }> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type')
  const given: Record<string, unknown> = {}
  const files: UploadedFile[] = []
  for await (const part of request.parts({ limits: { fileSize: largest, files: most } })) {
    if (part.type === 'field') given[part.fieldname] = part.value
    else {
      const chunks: Buffer[] = []
      for await (const chunk of part.file) chunks.push(chunk)
      const { fieldname: field, filename } = part
      files.push({ field, filename, bytes: Buffer.concat(chunks), truncated: part.file.truncated })
    }
  }
  const validate = compiled.get(fields) ?? compileParameters(fields)
  compiled.set(fields, validate)
  const checked = validate(given)
  if ('error' in checked) throw checked.error
  return { fields: checked.value as Static<T>, files }
}
