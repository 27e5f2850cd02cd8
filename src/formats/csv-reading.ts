import { pipeline } from 'node:stream'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import { AppError } from '../errors.ts'
import { unmarkFormula } from './csv-cells.ts'

/** More characters than the longest question needs. An unclosed quote ends here rather than at the end of the file. */
const LARGEST_RECORD = 1024 * 1024

/** More columns than any file has. Each field of a record takes memory and time, even if it is empty. */
const MOST_COLUMNS = 500

/** Characters of the first line from which the delimiter is told: enough for the names of all columns. */
const LONGEST_BEGINNING = 64 * 1024

/** Characters of the reason why a file is malformed, which quotes a part of the file. */
const LONGEST_REASON = 300

/** Most and fewest bytes whose rows are read in one turn of the event loop. */
const LARGEST_SLICE = 16 * 1024
const LEAST_SLICE = 256
/** Milliseconds that this should take. Short rows with missing fields take a hundred times longer than usual ones. */
const SLICE_MS = 5

/** An upload that may have been cut off at the largest accepted size. */
export type CsvUpload = AsyncIterable<Uint8Array> & { readonly truncated: boolean }

export interface ReadRow<Column extends string> {
  /** The record's row in a spreadsheet: the header is row 1. */
  row: number
  record: Record<Column, string>
  /** Whether its numbers have a comma for a point, as in files whose fields are not separated by it. */
  decimalComma: boolean
}

/** Columns that a file must have, in any order, and those that it may lack; others are ignored. */
export interface CsvColumns<Column extends string> {
  required: readonly Column[]
  optional: readonly Column[]
}

/**
 * The records of a CSV (RFC 4180, with or without BOM, any line ends, also with semicolons or tabs), one by one as they
 * arrive. Blank lines are no records. Missing fields of a short record are empty, additional ones of a long record are
 * ignored, up to a bound. Throws 400 `missing_columns` or `invalid_csv`, and 413 for an upload that was cut.
 */
export async function* readCsv<Column extends string>(
  upload: CsvUpload,
  columns: CsvColumns<Column>,
): AsyncGenerator<ReadRow<Column>> {
  const text = decodeUtf8(upload)
  const read = await readFirstLine(text)
  const { delimiter, rest } = takeDelimiter(read.join(''))
  const beginning = rest === undefined ? read : [rest]
  const decimalComma = delimiter !== ','
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: LARGEST_RECORD,
    // What follows in a longer record is its last field.
    ignore_last_delimiters: MOST_COLUMNS + 1,
  })
  // An error of the upload ends the parser too, so it is thrown in the loop.
  pipeline(rejoin(beginning, text), parser, () => {})
  let header: Header<Column> | undefined
  // The line that names the delimiter is one of the spreadsheet.
  let row = rest === undefined ? 0 : 1
  try {
    for await (const fields of parser as AsyncIterable<string[]>) {
      // A blank line counts as a row, as in a spreadsheet.
      row += 1
      if (fields.length > MOST_COLUMNS) throw tooManyColumns()
      if (fields.length === 1 && fields[0] === '') continue
      if (header) yield { row, record: readRecord(fields, header), decimalComma }
      else header = readHeader(fields, columns)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // `index` counts the fields before the one in which it stopped, as at a quote.
    if (Number(error.index) >= MOST_COLUMNS) throw tooManyColumns(error)
    const reason = error.message.slice(0, LONGEST_REASON)
    throw new AppError('invalid_csv', { message: `The CSV is malformed: ${reason}`, cause: error })
  }
  if (!header) readHeader([], columns)
}

function tooManyColumns(cause?: CsvError): AppError {
  return new AppError('invalid_csv', {
    message: `A row of the CSV has more than ${MOST_COLUMNS} columns: remove those that are not needed`,
    cause,
  })
}

/** The beginning of the text, in pieces, to the end of its first line that is not blank. */
async function readFirstLine(text: AsyncIterator<string>): Promise<string[]> {
  const pieces: string[] = []
  let beginning = ''
  while (!/[\r\n]/.test(beginning.trimStart()) && beginning.length < LONGEST_BEGINNING) {
    const { done, value } = await text.next()
    if (done) break
    pieces.push(value)
    beginning += value
  }
  return pieces
}

/** Spreadsheets write semicolons where the comma is the sign of decimals. Names of columns contain none of these. */
function findDelimiter(text: string): string {
  const line = firstLine(text)
  const count = (delimiter: string) => line.split(delimiter).length
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best))
}

const NAMED = /^\s*"?sep=([,;\t])"?[ \t]*(?:\r\n|\r|\n)/i

/** The delimiter; spreadsheets may name it in a line before the header (`sep=;`), and `rest` is what follows that. */
function takeDelimiter(text: string): { delimiter: string; rest?: string } {
  const [line = '', named] = NAMED.exec(text) ?? []
  return named === undefined
    ? { delimiter: findDelimiter(text) }
    : { delimiter: named, rest: text.slice(line.length) }
}

/** The names in the first line of what may be a CSV. */
export function readNames(given: string): string[] {
  const { delimiter, rest: text = given } = takeDelimiter(given)
  const names = firstLine(text).split(delimiter)
  return names.map((name) => name.replaceAll('"', '').trim().toLowerCase())
}

function firstLine(text: string): string {
  return text.trimStart().split(/[\r\n]/, 1)[0] ?? ''
}

async function* rejoin(beginning: string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  for (const piece of beginning) {
    yield piece
    await setImmediate()
  }
  yield* rest
}

async function* decodeUtf8(upload: CsvUpload): AsyncGenerator<string> {
  // It removes the byte order mark as well.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = LEAST_SLICE
  try {
    for await (const chunk of upload)
      for (let at = 0; at < chunk.length; ) {
        const end = at + size
        const began = performance.now()
        yield decoder.decode(chunk.subarray(at, end), { stream: true })
        const spent = performance.now() - began
        at = end
        size = spent > SLICE_MS ? Math.max(LEAST_SLICE, size / 2) : Math.min(LARGEST_SLICE, size * 2)
        // One turn of the event loop reads up to two megabytes of a socket: let other requests run in between.
        await (spent > SLICE_MS ? setTimeout(spent) : setImmediate())
      }
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AppError('invalid_csv', { message: 'The file is not encoded in UTF-8', cause: error })
  }
  if (upload.truncated) throw new AppError('payload_too_large')
}

/** The place of each column; of equal names the first. */
type Header<Column> = [column: Column, place: number][]

function readHeader<Column extends string>(
  fields: string[],
  { required, optional }: CsvColumns<Column>,
): Header<Column> {
  const names = fields.map((name) => name.trim().toLowerCase())
  const missing = required.filter((column) => !names.includes(column))
  if (missing.length > 0)
    throw new AppError('missing_columns', { message: `The CSV lacks the columns: ${missing.join(', ')}` })
  return [...required, ...optional].map((column) => [column, names.indexOf(column)])
}

function readRecord<Column extends string>(fields: string[], header: Header<Column>): Record<Column, string> {
  const record = {} as Record<Column, string>
  for (const [column, place] of header) record[column] = unmarkFormula(fields[place] ?? '')
  return record
}
