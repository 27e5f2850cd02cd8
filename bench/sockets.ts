import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** An empty pong, masked as clients must. A server drops clients that send nothing for long. */
export const SIGN_OF_LIFE = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
const RETRY_MS = 500

/** A WebSocket that is `ready`, on a plain TCP socket, so that the client takes as little CPU time as possible. */
export async function openSocket(url: string, token: string): Promise<Socket> {
  const { port } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(
    `GET /api/v01/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n` +
      `Authorization: Bearer ${token}\r\n\r\n`,
  )
  let head = ''
  while (!head.includes('"ready"')) {
    const [bytes] = await Promise.race([once(socket, 'data'), once(socket, 'end').then(() => [])])
    if (bytes === undefined) throw new Error(`refused: ${head.slice(0, 60)}`)
    head += bytes.latin1Slice()
  }
  return socket
}

/** Tries until the connection succeeds; calls `refused` for each failure. */
export async function openStubbornly(url: string, token: string, refused: () => void): Promise<Socket> {
  for (;;) {
    try {
      return await openSocket(url, token)
    } catch {
      refused()
      await setTimeout(RETRY_MS)
    }
  }
}

/** Sends a frame of up to 125 bytes and resolves when its `ack` arrives. */
export async function ask(socket: Socket, request: object): Promise<void> {
  const text = JSON.stringify(request)
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]))
  let answer = ''
  while (!answer.includes('"type":"ack"')) {
    const [bytes] = await once(socket, 'data')
    answer = answer.slice(-20) + bytes.latin1Slice()
  }
}
