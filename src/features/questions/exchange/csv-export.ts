import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import { markFormula } from '../../../formats/csv-cells.ts'
import { readCsv, readNames } from '../../../formats/csv-reading.ts'
import { COLUMNS, LATER_COLUMNS, QUESTION_COLUMNS, toOffered } from '../question-csv.ts'
import type { ExchangeItem, ExportedQuestion } from './exchange-mapping.ts'

const CHUNK = 64 * 1024

/** Bytes at the beginning of a file that tell whether it is a CSV. */
const HEAD = 64 * 1024

/** Whether a file begins with the names of our columns, in whatever encoding. */
export function isQuestionCsv(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD)).toString('latin1')
  const columns = readNames(head.replaceAll('\0', ''))
  return COLUMNS.filter((column) => columns.includes(column)).length > 2
}

/** Reads a CSV as `import-csv` does, except that all questions go into the given exam, whatever `exam_id` says. */
export async function* readCsvItems(bytes: Uint8Array): AsyncGenerator<ExchangeItem> {
  const upload = Object.assign(Readable.from(chunksOf(bytes)), { truncated: false })
  for await (const row of readCsv(upload, QUESTION_COLUMNS)) {
    const label = `Row ${row.row}`
    if (row.record.question_text.trim() === '') yield { label, reason: 'question_text is empty' }
    else yield { label, question: toOffered(row), anyImagePath: true }
  }
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK) yield bytes.subarray(start, start + CHUNK)
}

/** Text that a spreadsheet would take for a formula is marked; the import removes the mark. */
export async function* writeCsv(questions: AsyncIterable<ExportedQuestion>): AsyncGenerator<string> {
  yield stringify([[...COLUMNS, ...LATER_COLUMNS]])
  for await (const question of questions) {
    const later = [
      question.explanation,
      jsonOrEmpty(question.tags),
      jsonOrEmpty(question.more_options),
      question.parts === null ? '' : JSON.stringify(question.parts),
      question.image_alt,
      jsonOrEmpty(question.variables),
      jsonOrEmpty(question.conditions),
    ]
    yield stringify([[...COLUMNS.map((column) => question[column]), ...later]], {
      cast: { string: markFormula },
    })
  }
}

function jsonOrEmpty(list: readonly unknown[]): string {
  return list.length === 0 ? '' : JSON.stringify(list)
}
