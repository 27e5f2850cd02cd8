import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { type CsvRow, guardFormula } from '../formats/csv-cells.ts'
import { encodeExtended } from '../formats/percent.ts'
import { whileAllowed } from './callers.ts'

/** The answer of a route that only gives a download. */
export const CsvFile = Type.Unsafe<NodeJS.ReadableStream>({
  description: 'The file, as an attachment',
  content: { 'text/csv': { schema: Type.String() } },
})

/** Rows between two checks whether their reader may still have them. */
const CHECKED_ROWS = 500

/**
 * Answers a download of these columns, written as fast as the client reads and for as long as it may read them. Text
 * that a spreadsheet would take for a formula gets an apostrophe in front.
 */
export function sendCsv(
  reply: Pick<FastifyReply, 'header' | 'request'>,
  name: string,
  columns: readonly string[],
  rows: Iterable<CsvRow> | AsyncIterable<CsvRow>,
): FastifyReply {
  const csv = stringify({
    header: true,
    columns: [...columns],
    // The library leaves false out, as it does what isn't there.
    cast: { string: guardFormula, boolean: String },
    record_delimiter: 'windows',
  })
  const source = Readable.from(whileAllowed(reply.request, rows, CHECKED_ROWS))
  source.on('error', (error) => csv.destroy(error))
  csv.on('close', () => source.destroy())
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', dispositionOf(`${name}.csv`))
    .send(source.pipe(csv))
}

/** Names beyond ASCII are given in both forms (RFC 6266). */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\]/g, '_')
  const extended = plain === name ? '' : `; filename*=UTF-8''${encodeExtended(name)}`
  return `attachment; filename="${plain}"${extended}`
}
