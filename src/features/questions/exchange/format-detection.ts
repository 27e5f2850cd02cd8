import type { ImportFormat } from '../../../../schemas/exchange.schemas.ts'
import { readNames } from '../../../formats/csv-reading.ts'
import { COLUMNS } from '../question-csv.ts'
import { isAiken, readAiken } from './aiken.ts'
import { readCsvItems } from './csv-export.ts'
import type { ExchangeItem } from './exchange-item.ts'
import { decodeText, unreadable } from './exchange-text.ts'
import { readGift } from './gift.ts'
import { readMoodleXml } from './moodle-xml.ts'
import { qtiReaderOf, readQti } from './qti.ts'
import { rootName } from './xml.ts'
import { isZip } from './zip-archive.ts'

/** The items of a file, one after another. Throws 400 or 413 where the file as a whole can't be read. */
export function readItems(
  format: ImportFormat,
  bytes: Uint8Array,
): Iterable<ExchangeItem> | AsyncIterable<ExchangeItem> {
  switch (format) {
    case 'csv':
      return readCsvItems(bytes)
    case 'gift':
      return readGift(decodeText(bytes))
    case 'aiken':
      return readAiken(decodeText(bytes))
    case 'moodle_xml':
      return readMoodleXml(decodeText(bytes))
    case 'qti':
      return readQti(bytes)
  }
}

/** Characters at the beginning of a file that tell its format. */
const HEAD = 64 * 1024

/** Finds a file's format by its content, whatever its name is; 400 if that isn't clear. */
export function detectFormat(bytes: Uint8Array): ImportFormat {
  if (isZip(bytes)) return 'qti'
  const text = decodeText(bytes)
  const head = text.slice(0, HEAD)
  if (/^\s*</.test(head)) {
    const root = rootName(text)
    if (root === 'quiz') return 'moodle_xml'
    if (qtiReaderOf(root)) return 'qti'
    throw unreadable('The XML holds no questions')
  }
  const columns = readNames(head)
  if (COLUMNS.filter((column) => columns.includes(column)).length > 2) return 'csv'
  if (isAiken(head)) return 'aiken'
  if (head.includes('{')) return 'gift'
  throw unreadable('The format of the file is not clear: say which it is')
}
