import { isAiken, readAiken } from './aiken/aiken.ts'
import { unreadable } from './file-error.ts'
import { readGift } from './gift/gift.ts'
import { readMoodleXml } from './moodle/moodle-xml.ts'
import { qtiReaderOf, readQti } from './qti/qti.ts'
import type { Item } from './question.ts'
import { decodeText } from './texts/decoding.ts'
import { rootName } from './xml.ts'
import { isZip } from './zip-archive.ts'

/** `qti` is QTI 1.2, 2 and 3, as a document or as a package. */
export type Format = 'gift' | 'aiken' | 'moodle_xml' | 'qti'

/** The items of a file, one after another. Throws `FileError` where the file can't be read to its end. */
export function readItems(bytes: Uint8Array, format: Format): Iterable<Item> | AsyncIterable<Item> {
  switch (format) {
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

/** Finds a file's format by its content, whatever its name is; throws `FileError` if that isn't clear. */
export function detectFormat(bytes: Uint8Array): Format {
  if (isZip(bytes)) return 'qti'
  const text = decodeText(bytes)
  const head = text.slice(0, HEAD)
  if (/^\s*</.test(head)) {
    const root = rootName(text)
    if (root === 'quiz') return 'moodle_xml'
    if (qtiReaderOf(root)) return 'qti'
    throw unreadable('The XML holds no questions')
  }
  if (isAiken(head)) return 'aiken'
  if (head.includes('{')) return 'gift'
  throw unreadable('The format of the file is not clear: say which it is')
}
