/**
 * The least that `ws` can do: each message is framed once, and the same bytes are written to every socket. With
 * REDIS_URL a message reaches the sockets of all such servers.
 */
import { createServer } from 'node:http'
import { Redis } from 'ioredis'
import { type WebSocket, WebSocketServer } from 'ws'
import { encodeFrame } from '../../src/gateway/frame.ts'

const sockets = new Set<WebSocket & { _socket: { write(bytes: Buffer): void } }>()
const server = createServer()
const upgrades = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false })
upgrades.on('connection', (socket: WebSocket & { _socket: { write(bytes: Buffer): void } }) => {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  socket.on('error', () => {})
  socket.send('{"type":"ready"}')
})
const write = ({ message }: { message: object }) => {
  const frame = encodeFrame({ type: 'message', conversation_id: 1, message: { ...message, is_own: false } })
  for (const socket of sockets) socket._socket.write(frame)
}
const { REDIS_URL } = process.env
if (REDIS_URL) {
  const [publisher, subscriber] = [new Redis(REDIS_URL), new Redis(REDIS_URL)]
  const channel = 'exam-practice-bench'
  await subscriber.subscribe(channel)
  subscriber.on('message', (_channel, text) => write(JSON.parse(text)))
  process.on('message', (event) => void publisher.publish(channel, JSON.stringify(event)))
} else process.on('message', write)
process.on('SIGUSR2', () => globalThis.gc?.())
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  const address = server.address() as { port: number }
  process.send?.(`http://127.0.0.1:${address.port}`)
})
