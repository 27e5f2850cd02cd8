import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { encodeFrame } from '../../src/gateway/frame.ts'

/** The least that `ws` can do: each message is framed once and the same bytes are written to every socket. */
const sockets = new Set<WebSocket & { _socket: { write(bytes: Buffer): void } }>()
const server = createServer()
const upgrades = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false })
upgrades.on('connection', (socket: WebSocket & { _socket: { write(bytes: Buffer): void } }) => {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  socket.on('error', () => {})
  socket.send('{"type":"ready"}')
})
process.on('message', ({ message }: { message: object }) => {
  const frame = encodeFrame({ type: 'message', conversation_id: 1, message: { ...message, is_own: false } })
  for (const socket of sockets) socket._socket.write(frame)
})
process.on('SIGUSR2', () => globalThis.gc?.())
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  const address = server.address() as { port: number }
  process.send?.(`http://127.0.0.1:${address.port}`)
})
