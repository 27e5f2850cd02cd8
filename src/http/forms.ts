import type { Readable } from 'node:stream'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import { AppError } from '../errors.ts'
import { compileParameters, type Validate, validatorCompiler } from './validation.ts'

export interface UploadedFile {
  field: string
  /** As the client wrote it, folders included: to be judged before it names anything. */
  filename: string
  bytes: Buffer
  /** True where the file was longer than `largest`: `bytes` holds only its beginning. */
  truncated: boolean
}

/** A file that is still on its way: to be read before the next part is asked for. */
export type IncomingFile = Omit<UploadedFile, 'bytes' | 'truncated'> & {
  stream: Readable & { truncated: boolean }
}

export interface FormOptions {
  /** Bytes of one file that are kept; what a form holds beyond them is read past. */
  largest: number
  /** Files that are kept; more are a 413. */
  files: number
}

/** Fields of a form, more than any of ours has. */
const MOST_FIELDS = 50

/**
 * To spread into a route that reads a form: its `body` schema describes the form's fields for the API's
 * documents, and `readForm` checks them as they arrive.
 */
export const takesForm = {
  validatorCompiler: ((part) =>
    part.httpPart === 'body' ? () => true : validatorCompiler(part)) as FastifySchemaCompiler<TSchema>,
}

/**
 * A multipart form as its checked fields (text, numbers and booleans as their schema says) and its files.
 * 415 for anything but multipart, 413 past its bounds, 400 for fields that don't fit.
 */
export async function readForm<T extends TObject>(
  request: FastifyRequest,
  fields: T,
  options: FormOptions,
): Promise<{ fields: Static<T>; files: UploadedFile[] }> {
  const given: Record<string, unknown> = {}
  const files: UploadedFile[] = []
  for await (const part of readParts(request, options)) {
    if ('stream' in part) files.push(...(await readFile(part)))
    else given[part.field] = part.value
  }
  return { fields: checkFields(fields, given), files }
}

/** The fields of a form that holds nothing else; files are read past. */
export async function readFields<T extends TObject>(request: FastifyRequest, fields: T): Promise<Static<T>> {
  return (await readForm(request, fields, { largest: 0, files: 1 })).fields
}

/** The parts of a multipart form one by one, each as it arrives. Ending early reads past what is left. */
export async function* readParts(
  request: FastifyRequest,
  { largest, files }: FormOptions,
): AsyncGenerator<{ field: string; value: unknown } | IncomingFile> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type')
  try {
    const limits = { fileSize: largest, files, fields: MOST_FIELDS }
    const names = { preservePath: true, defParamCharset: 'utf8' }
    for await (const part of request.parts({ limits, ...names })) {
      if (part.type === 'file')
        yield { field: part.fieldname, filename: part.filename ?? '', stream: part.file }
      else if (part.valueTruncated) throw new AppError('payload_too_large')
      else yield { field: part.fieldname, value: part.value }
    }
  } catch (error) {
    // The parser's own errors carry no status: whatever they are, the form could not be read.
    if (error instanceof Error && !('statusCode' in error) && !(error instanceof AppError))
      throw new AppError('invalid_request', { cause: error })
    throw error
  } finally {
    // Else the connection would stand still with the rest of the form in it.
    if (!request.raw.readableEnded) request.raw.unpipe().resume()
  }
}

/** The whole file; none for the empty part that browsers send for an input without a file. */
export async function readFile({ field, filename, stream }: IncomingFile): Promise<UploadedFile[]> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  if (filename === '' && bytes.length === 0) return []
  return [{ field, filename, bytes, truncated: stream.truncated }]
}

const compiled = new WeakMap<TObject, Validate>()

/**
 * 400 that names every field that doesn't fit. Browsers send each input of a form, the empty ones too: an empty
 * number or choice is as good as none.
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
