const FIN_TEXT = 0x81

/**
 * A whole WebSocket text frame (RFC 6455 §5.2, unmasked), ready to be written: built once, the same bytes
 * go to every socket.
 */
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
