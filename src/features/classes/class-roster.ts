import { AppError } from '../../errors.ts'
import { type CsvColumns, type CsvUpload, readCsv } from '../../formats/csv-reading.ts'

/** Rows of one roster. */
const MOST_ROWS = 10_000

type RosterColumn = 'email' | 'full_name' | 'role'
const COLUMNS: CsvColumns<RosterColumn> = { required: ['email'], optional: ['full_name', 'role'] }

export type RosterRow = Record<RosterColumn, string> & { row: number }

/** The rows of a roster; 400 for one that can't be read or has too many of them. */
export async function readRoster(upload: CsvUpload): Promise<RosterRow[]> {
  const rows: RosterRow[] = []
  for await (const { row, record } of readCsv(upload, COLUMNS)) {
    if (rows.length === MOST_ROWS)
      throw new AppError('invalid_csv', { message: `A roster has at most ${MOST_ROWS} rows` })
    rows.push({ row, ...record })
  }
  return rows
}
