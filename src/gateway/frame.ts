/** The first byte of a text that is one frame (RFC 6455 §5.2). */
const FIN_TEXT = 0x81
/** The second byte is the length, or says that the length follows in two or in eight bytes. */
const LENGTH_IN_TWO = 126
const LENGTH_IN_EIGHT = 127
/** How the text of every frame begins, since `type` is the first field of its payload. */
const TEXT_HEAD = '{"type":"'

/** A complete WebSocket text frame, unmasked as a server's are. It is built once and written to every socket. */
export function encodeFrame(payload: object): Buffer {
  const text = JSON.stringify(payload)
  const length = Buffer.byteLength(text)
  const second = length < LENGTH_IN_TWO ? length : length < 65_536 ? LENGTH_IN_TWO : LENGTH_IN_EIGHT
  const headLength = headLengthOf(second)
  const frame = Buffer.allocUnsafe(headLength + length)
  frame[0] = FIN_TEXT
  frame[1] = second
  if (second === LENGTH_IN_TWO) frame.writeUInt16BE(length, 2)
  if (second === LENGTH_IN_EIGHT) frame.writeBigUInt64BE(BigInt(length), 2)
  frame.write(text, headLength)
  return frame
}

/** How many bytes come before the text, by the second one of them. */
function headLengthOf(second: number): number {
  if (second === LENGTH_IN_EIGHT) return 10
  return second === LENGTH_IN_TWO ? 4 : 2
}

/** The `type` of a frame that `encodeFrame` made, without parsing the rest of its text. */
export function typeOfFrame(frame: Buffer): string {
  const start = headLengthOf(frame[1] as number) + TEXT_HEAD.length
  return frame.toString('latin1', start, frame.indexOf('"', start))
}

/**
 * Joins frames for one write, once for all sockets with the same frames in their queue, as most sockets of a group
 * have. For one flush of many sockets.
 */
export class MergedFrames {
  /** By the first frame of each write. */
  readonly #writes = new Map<Buffer, { frames: readonly Buffer[]; bytes: Buffer }>()
  /** What this flush has written: it is measured once, since that takes a tenth of a write. */
  readonly written = { frames: 0, bytes: 0 }

  /** The bytes of all frames, of which there are `length`. */
  of(frames: readonly Buffer[], length: number): Buffer {
    const first = frames[0] as Buffer
    if (frames.length === 1) return first
    const known = this.#writes.get(first)
    if (known && areSame(known.frames, frames)) return known.bytes
    const bytes = Buffer.concat(frames, length)
    this.#writes.set(first, { frames, bytes })
    return bytes
  }
}

function areSame(frames: readonly Buffer[], others: readonly Buffer[]): boolean {
  return frames.length === others.length && frames.every((frame, index) => frame === others[index])
}
