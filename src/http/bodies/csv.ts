import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { guardFormula } from '../../formats/csv-cells.ts'

export type CsvRow = Record<string, string | number | boolean | null>

/** Whether the caller asks for a download rather than JSON. */
export function wantsCsv({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\btext\/csv\b/i.test(headers.accept ?? '')
}

/**
 * Answers a download of these columns, written as fast as the client reads. Text that a spreadsheet would take for a
 * formula gets an apostrophe in front.
 */
export function sendCsv(
  reply: Pick<FastifyReply, 'header'>,
  name: string,
  columns: readonly string[],
  rows: Iterable<CsvRow> | AsyncIterable<CsvRow>,
): FastifyReply {
  const csv = stringify({
    header: true,
    columns: [...columns],
    cast: { string: guardFormula },
    record_delimiter: 'windows',
  })
  const source = Readable.from(rows)
  source.on('error', (error) => csv.destroy(error))
  csv.on('close', () => source.destroy())
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(source.pipe(csv))
}
