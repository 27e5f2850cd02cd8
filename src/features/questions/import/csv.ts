import { pipeline } from 'node:stream'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import type { OfferedQuestion } from '../../../../schemas/admin/exams/questions.ts'
import { AppError } from '../../../errors.ts'
import { unmarkFormula } from '../../../formats/csv-cells.ts'

/**
 * Columns that a file of questions must have, in any order; others are ignored
 * (docs/protocol/http.md#questions).
 */
export const COLUMNS = [
  'exam_id',
  'question_text',
  'option_a',
  'option_b',
  'option_c',
  'option_d',
  'correct_answer',
  'question_type',
  'image_path',
  'positive_marks',
  'negative_marks',
  'tolerance',
] as const
export type CsvRecord = Record<(typeof COLUMNS)[number], string>

/** More than the longest question needs. An unclosed quote ends here rather than at the end of the file. */
const LARGEST_RECORD = 1024 * 1024

/** Most and fewest bytes whose rows are read in one turn of the event loop. */
const LARGEST_SLICE = 16 * 1024
const LEAST_SLICE = 256
/** Milliseconds that this should take. Short rows with missing fields take a hundred times longer than usual ones. */
const SLICE_MS = 5

/** An upload that may have been cut off at the largest accepted size. */
export type CsvUpload = AsyncIterable<Uint8Array> & { readonly truncated: boolean }

export interface CsvRow {
  /** The record's row in a spreadsheet: the header is row 1. */
  row: number
  record: CsvRecord
}

/**
 * The records of a CSV (RFC 4180, with or without BOM, any line ends), one by one as they arrive. Blank lines are no
 * records. Missing fields of a short record are empty, additional ones of a long record are ignored. Throws 400
 * `missing_columns` or `invalid_csv`, and 413 for an upload that was cut.
 */
export async function* readCsv(upload: CsvUpload): AsyncGenerator<CsvRow> {
  const parser = parse({
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: LARGEST_RECORD,
  })
  // An error of the upload ends the parser too, so it is thrown in the loop.
  pipeline(decodeUtf8(upload), parser, () => {})
  let header: Header | undefined
  let row = 0
  try {
    for await (const fields of parser as AsyncIterable<string[]>) {
      // A blank line counts as a row, as in a spreadsheet.
      row += 1
      if (fields.length === 1 && fields[0] === '') continue
      if (header) yield { row, record: readRecord(fields, header) }
      else header = readHeader(fields)
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw new AppError('invalid_csv', { message: `The CSV is malformed: ${error.message}`, cause: error })
    throw error
  }
  if (!header) readHeader([])
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
type Header = [column: keyof CsvRecord, place: number][]

function readHeader(fields: string[]): Header {
  const names = fields.map((name) => name.trim().toLowerCase())
  const missing = COLUMNS.filter((column) => !names.includes(column))
  if (missing.length > 0)
    throw new AppError('missing_columns', { message: `The CSV lacks the columns: ${missing.join(', ')}` })
  return COLUMNS.map((column) => [column, names.indexOf(column)])
}

function readRecord(fields: string[], header: Header): CsvRecord {
  const record = {} as CsvRecord
  for (const [column, place] of header) record[column] = unmarkFormula(fields[place] ?? '')
  return record
}

/** The question in a row. Negative marks may be written with or without a minus. */
export function toOffered({ exam_id: _, ...row }: CsvRecord): OfferedQuestion {
  return { ...row, negative_marks: row.negative_marks.trim().replace(/^[-−]/, '') }
}
