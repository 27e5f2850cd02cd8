import { inflateSync } from 'node:zlib'

/** A compressed part of a PDF is unpacked no further than this, in bytes; a longer one holds no page objects. */
const LARGEST_PART = 8 * 1024 * 1024
const MOST_PARTS = 5_000
const CARRIAGE_RETURN = 0x0d

export function isPdf(bytes: Buffer): boolean {
  // Readers accept some bytes before the header.
  return bytes.subarray(0, 1024).includes('%PDF-')
}

/**
 * How many pages it holds; 0 where that can't be read, as in an encrypted file. From PDF 1.5 on the page
 * objects may lie in compressed object streams.
 */
export function countPages(bytes: Buffer): number {
  let pages = countPageObjects(bytes.toString('latin1'))
  let parts = 0
  for (let at = nextStream(bytes, 0); at !== -1 && parts < MOST_PARTS; at = nextStream(bytes, at)) {
    parts += 1
    const start = bytes.indexOf('stream', at)
    const end = bytes.indexOf('endstream', start)
    if (start === -1 || end === -1) break
    const data = bytes[start + 6] === CARRIAGE_RETURN ? start + 8 : start + 7
    pages += countPageObjects(inflate(bytes.subarray(data, end)))
  }
  return pages
}

function nextStream(bytes: Buffer, from: number): number {
  return bytes.indexOf('/ObjStm', from + 1)
}

function countPageObjects(text: string): number {
  return text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0
}

function inflate(part: Buffer): string {
  try {
    return inflateSync(part, { maxOutputLength: LARGEST_PART }).toString('latin1')
  } catch {
    return ''
  }
}
