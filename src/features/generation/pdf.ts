import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inflate, type ZlibOptions } from 'node:zlib'

/**
 * Most that is unpacked from one file, in bytes and in parts: more than a hundred pages need, and soon done even if a
 * few kilobytes would unpack to gigabytes.
 */
const MOST_UNPACKED = 32 * 1024 * 1024
const MOST_PARTS = 5_000
/** Bytes that one byte can unpack to. */
const LARGEST_GROWTH = 1_032
const OBJECT_STREAM = '/ObjStm'
const CARRIAGE_RETURN = 0x0d
const TYPE = '/Type'
const PAGE = Buffer.from('/Page')
/** Blanks between the two: nobody writes more. */
const MOST_BLANKS = 1_000
/** Bytes that are searched before other requests have their turn. */
const SLICE = 32 * 1024

export function isPdf(bytes: Buffer): boolean {
  // Readers accept some bytes before the header.
  return bytes.subarray(0, 1024).includes('%PDF-')
}

/**
 * How many pages it has, counted up to `most`; 0 if that can't be read, as in an encrypted file. From PDF 1.5 on, the
 * page objects may be inside compressed object streams. These are unpacked beside other requests.
 */
export async function countPages(bytes: Buffer, most: number): Promise<number> {
  let pages = await countPageObjects(bytes, most)
  let left = MOST_UNPACKED
  let at = await find(bytes, OBJECT_STREAM, 0)
  for (let parts = 0; at !== -1 && parts < MOST_PARTS && left > 0 && pages < most; parts++) {
    const start = await find(bytes, 'stream', at)
    const end = start === -1 ? -1 : await find(bytes, 'endstream', start)
    if (end === -1) break
    const part = bytes.subarray(bytes[start + 6] === CARRIAGE_RETURN ? start + 8 : start + 7, end)
    const objects = await unpack(part, left)
    // A broken part may have been unpacked almost to its end before that was noticed.
    left -= objects?.length ?? part.length * LARGEST_GROWTH
    if (objects) pages += await countPageObjects(objects, most - pages)
    at = await find(bytes, OBJECT_STREAM, end)
  }
  return Math.min(pages, most)
}

/** Where a text begins, from `at` on; -1 if nowhere. */
async function find(bytes: Buffer, text: string, at: number): Promise<number> {
  for (let start = at; start < bytes.length; start += SLICE) {
    const found = bytes.subarray(start, start + SLICE + text.length - 1).indexOf(text)
    if (found !== -1) return start + found
    await setImmediate()
  }
  return -1
}

/** How often it contains `/Type /Page`, counted at least up to `most`. */
async function countPageObjects(bytes: Buffer, most: number): Promise<number> {
  let count = 0
  const longest = TYPE.length + MOST_BLANKS + PAGE.length + 1
  for (let start = 0; start < bytes.length && count < most; start += SLICE) {
    count += countBegun(bytes.subarray(start, start + SLICE + longest))
    await setImmediate()
  }
  return count
}

/** How many pages begin within the first slice of these bytes. */
function countBegun(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(TYPE); at !== -1 && at < SLICE; at = bytes.indexOf(TYPE, at)) {
    at += TYPE.length
    const last = at + MOST_BLANKS
    while (at < last && isBlank(bytes[at])) at += 1
    const end = at + PAGE.length
    if (PAGE.equals(bytes.subarray(at, end)) && !isLetter(bytes[end])) count += 1
  }
  return count
}

/** Blank as PDF defines it: NUL, tab, line feed, form feed, carriage return, space. */
function isBlank(byte = 1): boolean {
  return byte === 0x20 || (byte <= 0x0d && byte !== 0x0b && (byte >= 0x09 || byte === 0))
}

function isLetter(byte = 0): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

const inflated = promisify<Buffer, ZlibOptions, Buffer>(inflate)

/** undefined if it can't be unpacked, or is longer than `most` bytes. */
async function unpack(part: Buffer, most: number): Promise<Buffer | undefined> {
  try {
    return await inflated(part, { maxOutputLength: most })
  } catch {
    return undefined
  }
}
