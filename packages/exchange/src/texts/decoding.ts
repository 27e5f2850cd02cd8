import { unreadable } from '../file-error.ts'

const MARKS: [bytes: number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

/**
 * The text of a file, decoded as its byte order mark or XML declaration says, else as UTF-8. Throws if the bytes
 * are not valid in that encoding, so that no broken text is read.
 */
export function decodeText(bytes: Uint8Array): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1]
  const encoding = marked ?? declaredEncoding(bytes) ?? 'utf-8'
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(encoding, { fatal: true })
  } catch (error) {
    throw unreadable(
      `The file is written in an encoding that is not known here: ${encoding.slice(0, 40)}`,
      error,
    )
  }
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw unreadable(`The file is not encoded in ${encoding.toUpperCase()}`, error)
  }
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString('latin1')
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/.exec(head)?.[1]
}

/** Characters of one question; longer ones are an attack. */
const LONGEST_QUESTION = 1024 * 1024

/** Refuses a file with a longer question. */
export function checkLength(characters: number): void {
  if (characters > LONGEST_QUESTION) throw unreadable('A question of the file is too long')
}

/** The lines one by one, with any kind of line end, without a copy of all of them. */
export function* linesOf(text: string): Generator<string> {
  let start = 0
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
    yield text.slice(start, index)
    start = index + end.length
  }
  yield text.slice(start)
}
