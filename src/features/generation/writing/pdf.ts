import { inflateSync } from 'node:zlib'

/**
 * Most that is unpacked from one file, in bytes and in parts: more than a hundred pages need, and soon done even if a
 * few kilobytes would unpack to gigabytes.
 */
const MOST_UNPACKED = 32 * 1024 * 1024
const MOST_PARTS = 5_000
const OBJECT_STREAM = '/ObjStm'
const CARRIAGE_RETURN = 0x0d

export function isPdf(bytes: Buffer): boolean {
  // Readers accept some bytes before the header.
  return bytes.subarray(0, 1024).includes('%PDF-')
}

/**
 * How many pages it has; 0 if that can't be read, as in an encrypted file. From PDF 1.5 on, the page objects may be
 * inside compressed object streams.
 */
export function countPages(bytes: Buffer): number {
  let pages = countPageObjects(bytes.toString('latin1'))
  let left = MOST_UNPACKED
  let at = bytes.indexOf(OBJECT_STREAM)
  for (let parts = 0; at !== -1 && parts < MOST_PARTS; parts++) {
    const start = bytes.indexOf('stream', at)
    const end = bytes.indexOf('endstream', start)
    if (start === -1 || end === -1) break
    const data = bytes[start + 6] === CARRIAGE_RETURN ? start + 8 : start + 7
    const objects = unpack(bytes.subarray(data, end), left)
    if (objects === undefined) break
    left -= objects.length
    pages += countPageObjects(objects)
    at = bytes.indexOf(OBJECT_STREAM, end)
  }
  return pages
}

function countPageObjects(text: string): number {
  return text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0
}

/** '' if it can't be unpacked, undefined if it is longer than `most` bytes. */
function unpack(part: Buffer, most: number): string | undefined {
  try {
    return inflateSync(part, { maxOutputLength: Math.max(1, most) }).toString('latin1')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? undefined : ''
  }
}
