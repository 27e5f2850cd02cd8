import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import { AppError } from '../errors.ts'
import { checkAgain } from './callers.ts'
import { NOT_UTF8 } from './encoded-body.ts'
import { compileParameters, type Validate, validatorCompiler } from './validation.ts'

export interface UploadedFile {
  field: string
  /** As the client wrote it, with folders: never use it as a path unchecked. */
  filename: string
  bytes: Buffer
  /** True if `bytes` is only the file's beginning. */
  truncated: boolean
}

/** A file that is still arriving: read it before the next part, or not at all. */
export type IncomingFile = Omit<UploadedFile, 'bytes' | 'truncated'> & { stream: FileStream }

/** The content of a file; throws 400 `invalid_request` if the form ends before the file does. */
export interface FileStream extends AsyncIterable<Buffer> {
  /** Whether the file was too long: only known after the end of the stream. */
  readonly truncated: boolean
}

export interface FormOptions {
  /** Bytes of one file that are kept, at least those of a long field; the rest is read and dropped. */
  largest: number
  /** Most files; more are answered 413. */
  files: number
}

const MULTIPART = 'multipart/form-data'
/** Most fields of a form; ours have fewer. */
const MOST_FIELDS = 50
const LONGEST_FIELD = 1024 * 1024

/**
 * Lets those routes of this scope read forms that say so by `consumes`; to all others a form is 415. The library's
 * hooks cost each request there a listener and two promises.
 */
export async function registerForms(scope: FastifyInstance): Promise<void> {
  // Every part comes as bytes: in fields the library would replace bytes that are no valid text.
  await scope.register(multipart, {
    throwFileSizeLimit: false,
    isPartAFile: () => true,
    limits: { parts: 1_100 },
  })
  scope.addHook('preValidation', (request, _reply, done) => {
    const isRefused = request.isMultipart() && !request.routeOptions.schema?.consumes?.includes(MULTIPART)
    done(isRefused ? new AppError('unsupported_media_type') : undefined)
  })
}

/**
 * Settings of an operation that reads a form. Its `body` describes the fields for the API's documents; `readForm`
 * checks them.
 */
export const takesForm = {
  consumes: [MULTIPART],
  budget: 'upload' as const,
  validatorCompiler: ((part) =>
    part.httpPart === 'body' ? () => true : validatorCompiler(part)) as FastifySchemaCompiler<TSchema>,
}

/**
 * Settings of an operation that reads JSON, which its `body` describes and checks, or a form, which it reads by
 * `readForm`: of that there is no body before.
 */
export const takesFormToo = {
  consumes: ['application/json', MULTIPART],
  validatorCompiler: ((part) => {
    const validate = validatorCompiler(part)
    return part.httpPart === 'body' ? (body) => (body == null ? true : validate(body)) : validate
  }) as FastifySchemaCompiler<TSchema>,
}

/**
 * Reads a multipart form: its checked fields (text, numbers and booleans as their schema says) and its files. 415 for
 * anything but multipart, 413 past its limits, 400 for fields that don't fit.
 */
export async function readForm<T extends TObject>(
  request: FastifyRequest,
  fields: T,
  options: FormOptions,
): Promise<{ fields: Static<T>; files: UploadedFile[] }> {
  const given: Record<string, unknown> = {}
  const files: UploadedFile[] = []
  for await (const part of readParts(request, options)) {
    if ('stream' in part) {
      const file = await readUploadedFile(part)
      if (file) files.push(file)
    } else given[part.field] = part.value
  }
  return { fields: checkFields(fields, given), files }
}

/** Reads a form that only has fields; files are dropped. */
export async function readFields<T extends TObject>(request: FastifyRequest, fields: T): Promise<Static<T>> {
  return (await readForm(request, fields, { largest: 0, files: 1 })).fields
}

/**
 * The parts of a multipart form, one by one as they arrive. If the caller stops early, the rest is read and dropped.
 * Whether its sender may still send it is checked again behind each file, and behind the whole form.
 */
export async function* readParts(
  request: FastifyRequest,
  { largest, files }: FormOptions,
): AsyncGenerator<{ field: string; value: string } | IncomingFile> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type')
  const left = { files, fields: MOST_FIELDS }
  try {
    const limits = { fileSize: Math.max(largest, LONGEST_FIELD), files: files + MOST_FIELDS }
    const names = { preservePath: true, defParamCharset: 'utf8' }
    for await (const part of untilClosed(request.raw, request.parts({ limits, ...names }))) {
      if (part.type !== 'file') continue
      const { fieldname: field, filename, mimetype } = part
      const isFile = filename !== undefined || mimetype === 'application/octet-stream'
      left[isFile ? 'files' : 'fields'] -= 1
      if (Math.min(left.files, left.fields) < 0) throw new AppError('payload_too_large')
      const stream = toFileStream(part.file, isFile ? () => checkAgain(request) : undefined)
      if (isFile) {
        // Browsers write a quotation mark so.
        yield { field, filename: filename?.replaceAll('%22', '"') ?? '', stream }
        part.file.resume()
      } else yield { field, value: await readText(stream) }
    }
    await checkAgain(request)
  } catch (error) {
    // Errors of the parser have no status: each of them means that the form could not be read.
    if (error instanceof Error && !('statusCode' in error) && !(error instanceof AppError))
      throw new AppError('invalid_request', { cause: error })
    throw error
  } finally {
    // Unread parts would block the connection.
    if (!request.raw.readableEnded) request.raw.unpipe().resume()
  }
}

/**
 * Parts, and their files, until the connection ends: then it throws `aborted` if the form is not whole. The library
 * would wait for ever.
 */
async function* untilClosed(
  raw: IncomingMessage,
  parts: AsyncIterableIterator<Multipart>,
): AsyncGenerator<Multipart> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  aborted.catch(() => {})
  let file: Readable | undefined
  const abort = () => {
    if (raw.complete) return
    const error = new AppError('aborted')
    reject(error)
    file?.destroy(error)
  }
  // Once it is answered, Node no longer tells the request that its connection has ended.
  const { socket } = raw
  if (socket.destroyed) abort()
  else socket.once('close', abort)
  try {
    for (;;) {
      const { done, value } = await Promise.race([parts.next(), aborted])
      if (done) return
      if (value.type === 'file') file = value.file
      yield value
    }
  } finally {
    socket.off('close', abort)
  }
}

/** A field's text; 413 for one that is too long, 400 `invalid_request` for one that is not in UTF-8. */
async function readText(stream: FileStream): Promise<string> {
  const bytes = await readAll(stream)
  if (stream.truncated || bytes.length > LONGEST_FIELD) throw new AppError('payload_too_large')
  if (!isUtf8(bytes)) throw new AppError('invalid_request', { message: NOT_UTF8 })
  return bytes.toString()
}

async function readAll(stream: FileStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function toFileStream(file: MultipartFile['file'], check?: () => Promise<void>): FileStream {
  return {
    get truncated() {
      return file.truncated
    },
    async *[Symbol.asyncIterator]() {
      try {
        for await (const chunk of file) yield chunk as Buffer
      } catch (error) {
        throw new AppError('invalid_request', { cause: error })
      }
      await check?.()
    },
  }
}

/** The whole file; undefined for the empty part that browsers send for an empty file input. */
export async function readUploadedFile({
  field,
  filename,
  stream,
}: IncomingFile): Promise<UploadedFile | undefined> {
  const bytes = await readAll(stream)
  if (filename === '' && bytes.length === 0) return undefined
  return { field, filename, bytes, truncated: stream.truncated }
}

const compiled = new WeakMap<TObject, Validate>()

/**
 * Throws 400 that names all fields that don't fit. Browsers send all inputs of a form, so an empty one counts as left
 * out if the field can't be empty: for numbers, choices, and texts that need a character.
 */
export function checkFields<T extends TObject>(fields: T, given: Record<string, unknown>): Static<T> {
  const validate = compiled.get(fields) ?? compileParameters(fields)
  compiled.set(fields, validate)
  const filled = Object.entries(given).filter(([name, value]) => value !== '' || mayBeEmpty(fields, name))
  const checked = validate(Object.fromEntries(filled))
  if ('error' in checked) throw checked.error
  return checked.value as Static<T>
}

function mayBeEmpty({ properties }: TObject, name: string): boolean {
  const schema: { type?: string; minLength?: number } | undefined = properties[name]
  return schema?.type === 'string' && !schema.minLength
}
