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
/** Bytes that are searched before other requests have their turn. */
const SLICE = 256 * 1024

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
  let at = bytes.indexOf(OBJECT_STREAM)
  for (let parts = 0; at !== -1 && parts < MOST_PARTS && left > 0 && pages < most; parts++) {
    const start = bytes.indexOf('stream', at)
    const end = bytes.indexOf('endstream', start)
    if (start === -1 || end === -1) break
    const part = bytes.subarray(bytes[start + 6] === CARRIAGE_RETURN ? start + 8 : start + 7, end)
    const objects = await unpack(part, left)
    // A broken part may have been unpacked almost to its end before that was noticed.
    left -= objects?.length ?? part.length * LARGEST_GROWTH
    if (objects) pages += await countPageObjects(objects, most - pages)
    at = bytes.indexOf(OBJECT_STREAM, end)
  }
  return pages
}

/** How often it contains `/Type /Page`, counted up to `most`. */
async function countPageObjects(bytes: Buffer, most: number): Promise<number> {
  let count = 0
  let pauseAt = SLICE
  for (let at = bytes.indexOf(TYPE); at !== -1 && count < most; at = bytes.indexOf(TYPE, at)) {
    at += TYPE.length
    while (isBlank(bytes[at])) at += 1
    const end = at + PAGE.length
    if (PAGE.equals(bytes.subarray(at, end)) && !isLetter(bytes[end])) count += 1
    if (at < pauseAt) continue
    await setImmediate()
    pauseAt = at + SLICE
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
