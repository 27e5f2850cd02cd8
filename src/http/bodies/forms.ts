import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import { AppError } from '../../errors.ts'
import { FairQueue } from '../../scheduling/fair-queue.ts'
import { compileParameters, type Validate, validatorCompiler } from '../checking/validation.ts'
import { takeTurnIn } from '../turns.ts'

export interface UploadedFile {
  field: string
  /** As the client wrote it, with folders: never use it as a path unchecked. */
  filename: string
  bytes: Buffer
  /** True if the file was longer than `largest`: then `bytes` is only its beginning. */
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
  /** Bytes of one file that are kept; the rest is read and dropped. */
  largest: number
  /** Most files; more are answered 413. */
  files: number
}

const MULTIPART = 'multipart/form-data'
/** Most fields of a form; ours have fewer. */
const MOST_FIELDS = 50

/** Files are held in memory, so only a few forms of one person are read at once. */
const queue = new FairQueue({ each: 4, waiting: 200 })
/** Pause after a form that is refused: thousands of small parts are refused soon, and read for longer. */
const REST_MS = 500

/**
 * Lets those routes of this scope read forms that say so by `consumes`; to all others a form is 415. The library's hooks
 * cost each request there a listener and two promises.
 */
export async function registerForms(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart, {
    throwFileSizeLimit: false,
    limits: { fieldSize: 1024 * 1024, parts: 1_100 },
  })
  scope.addHook('preValidation', (request, _reply, done) => {
    const isRefused = request.isMultipart() && !request.routeOptions.schema?.consumes?.includes(MULTIPART)
    done(isRefused ? new AppError('unsupported_media_type') : undefined)
  })
}

/**
 * Options of a route that reads a form. The route's `body` schema describes the fields for the API's documents;
 * `readForm` checks them, once it is the person's turn.
 */
export const takesForm = {
  validatorCompiler: ((part) =>
    part.httpPart === 'body' ? () => true : validatorCompiler(part)) as FastifySchemaCompiler<TSchema>,
  preHandler: takeTurnIn(queue, { restMs: REST_MS }),
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
 */
export async function* readParts(
  request: FastifyRequest,
  { largest, files }: FormOptions,
): AsyncGenerator<{ field: string; value: unknown } | IncomingFile> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type')
  try {
    const limits = { fileSize: largest, files, fields: MOST_FIELDS }
    const names = { preservePath: true, defParamCharset: 'utf8' }
    for await (const part of untilClosed(request.raw, request.parts({ limits, ...names }))) {
      if (part.type === 'file') {
        yield { field: part.fieldname, filename: part.filename ?? '', stream: toFileStream(part.file) }
        part.file.resume()
      } else if (part.valueTruncated) throw new AppError('payload_too_large')
      else yield { field: part.fieldname, value: part.value }
    }
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

function toFileStream(file: MultipartFile['file']): FileStream {
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
    },
  }
}

/** The whole file; undefined for the empty part that browsers send for an empty file input. */
export async function readUploadedFile({
  field,
  filename,
  stream,
}: IncomingFile): Promise<UploadedFile | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (filename === '' && bytes.length === 0) return undefined
  return { field, filename, bytes, truncated: stream.truncated }
}

const compiled = new WeakMap<TObject, Validate>()

/**
 * Throws 400 that names all fields that don't fit. Browsers send all inputs of a form, so an empty number or choice
 * counts as left out.
 */
export function checkFields<T extends TObject>(fields: T, given: Record<string, unknown>): Static<T> {
  const validate = compiled.get(fields) ?? compileParameters(fields)
  compiled.set(fields, validate)
  const filled = Object.entries(given).filter(([name, value]) => value !== '' || isText(fields, name))
  const checked = validate(Object.fromEntries(filled))
  if ('error' in checked) throw checked.error
  return checked.value as Static<T>
}

function isText({ properties }: TObject, name: string): boolean {
  const schema: { type?: string } | undefined = properties[name]
  return schema?.type === 'string'
}
