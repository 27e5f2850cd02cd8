const FIN_TEXT = 0x81
const HEAD = '{"type":"'

/** A complete WebSocket text frame (RFC 6455 §5.2, unmasked). It is built once and written to every socket. */
export function encodeFrame(payload: object): Buffer {
  const text = JSON.stringify(payload)
  const length = Buffer.byteLength(text)
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headLength + length)
  frame[0] = FIN_TEXT
  if (headLength === 2) frame[1] = length
  else if (headLength === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, headLength)
  return frame
}

/** The `type` of a frame that `encodeFrame` made; every frame begins with it. */
export function typeOfFrame(frame: Buffer): string {
  const length = (frame[1] as number) & 0x7f
  const start = (length < 126 ? 2 : length === 126 ? 4 : 10) + HEAD.length
  return frame.toString('latin1', start, frame.indexOf('"', start))
}

/**
 * Joins frames for one write, once for all sockets with the same frames in their queue, as most sockets of a group
 * have. For one flush of many sockets.
 */
export class MergedFrames {
  /** By the first frame of each write. */
  readonly #writes = new Map<Buffer, { frames: readonly Buffer[]; bytes: Buffer }>()

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
