import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createMemoryBus } from '../../src/bus/bus-memory.ts'
import { createMemoryTallies } from '../../src/bus/tallies-memory.ts'
import { Connection } from '../../src/gateway/connection.ts'
import { encodeFrame } from '../../src/gateway/frame.ts'
import { TestSocket } from '../support/socket.ts'

/** Frames of a type. These are not the service's own frames, for which `of` has types. */
const framesOf = ({ frames }: TestSocket, type: string) => frames.filter((frame) => frame.type === type)

/** A connection and the client at its other end. */
async function connect() {
  const server = createServer().listen(0, '127.0.0.1')
  const sockets = new WebSocketServer({ server })
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
  })
  await once(server, 'listening')
  const ws = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const client = new TestSocket(ws, false)
  const [[socket, request]] = (await Promise.all([once(sockets, 'connection'), once(ws, 'open')])) as [
    [WebSocket, IncomingMessage],
    unknown,
  ]
  const tcp = request.socket
  const claims = { userId: 1, role: 'user', sessionId: 1, generation: 0, expiresAt: 0 } as const
  const connection = new Connection(
    { bus: createMemoryBus(pino({ level: 'silent' })), tallies: createMemoryTallies() },
    socket,
    tcp,
    claims,
    'en',
    0,
  )
  // A frame that is written before `begin` is sent after the first one.
  connection.writeLatest('presence:0', encodeFrame({ type: 'presence', user_id: 0 }))
  connection.begin({ type: 'resync' })
  await client.waitFor(({ type }) => type === 'presence')
  expect(client.frames.map(({ type }) => type)).toEqual(['resync', 'presence'])
  client.frames.length = 0
  return { connection, client, tcp, clientTcp: (ws as unknown as { _socket: Socket })._socket }
}

/** A connection whose client doesn't read until `read` is called. */
async function connectStalled() {
  const { clientTcp, ...connected } = await connect()
  const { connection, tcp } = connected
  clientTcp.pause()

  // Fills the kernel's buffers, whose size differs between machines.
  const filler = encodeFrame({ type: 'filler', text: 'x'.repeat(60_000) })
  let fillers = 0
  while (!tcp.writableNeedDrain) {
    connection.write(filler)
    fillers += 1
    await setImmediate()
    await setImmediate()
  }
  return { ...connected, fillers, read: () => clientTcp.resume() }
}

test('waiting frames arrive in order once the client reads again', async () => {
  const { connection, client, fillers, read } = await connectStalled()
  for (let n = 0; n < 1_000; n++) connection.write(encodeFrame({ type: 'message', n }))
  read()
  await client.until(() => framesOf(client, 'message').length === 1_000)
  expect(framesOf(client, 'filler')).toHaveLength(fillers)
  expect(framesOf(client, 'message').map(({ n }) => n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
})

test('sockets with the same waiting frames share one buffer, and others get their own', async () => {
  const all = await Promise.all([connect(), connect(), connect()])
  const writes = all.map(({ tcp }) => vi.spyOn(tcp, 'write'))
  const [first, second, own] = [1, 2, 3].map((n) => encodeFrame({ type: 'message', n })) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  for (const [index, { connection }] of all.entries()) {
    connection.write(first)
    connection.write(index === 2 ? own : second)
  }
  await Promise.all(all.map(({ client }) => client.until(() => framesOf(client, 'message').length === 2)))
  expect(all.map(({ client }) => framesOf(client, 'message').map(({ n }) => n))).toEqual([
    [1, 2],
    [1, 2],
    [1, 3],
  ])
  expect(writes.map((write) => write.mock.calls.length)).toEqual([1, 1, 1])
  expect(writes[1]?.mock.calls[0]?.[0]).toBe(writes[0]?.mock.calls[0]?.[0])
})

test('of frames that replace each other, a slow reader gets only the newest', async () => {
  const { connection, client, read } = await connectStalled()
  for (let n = 0; n < 20_000; n++) {
    connection.writeLatest('presence:1', encodeFrame({ type: 'presence', user_id: 1, n }))
    connection.writeLatest('presence:2', encodeFrame({ type: 'presence', user_id: 2, n }))
  }
  connection.write(encodeFrame({ type: 'message' }))
  read()
  await client.until(() => framesOf(client, 'presence').length === 2)
  await setImmediate()
  expect(framesOf(client, 'presence').map(({ user_id, n }) => [user_id, n])).toEqual([
    [1, 19_999],
    [2, 19_999],
  ])
  expect(framesOf(client, 'message')).toHaveLength(1)
  expect(client.closed).toBeUndefined()
})

test('with more than 1 MiB waiting the socket is closed with 4008, and the memory is freed', async () => {
  const { connection, client, tcp, read } = await connectStalled()
  const frame = encodeFrame({ type: 'message', text: 'x'.repeat(10_000) })
  let written = tcp.writableLength
  while (written + frame.length <= 1024 * 1024) {
    connection.write(frame)
    written += frame.length
  }
  await setImmediate()
  expect(client.ws.readyState).toBe(WebSocket.OPEN)
  connection.write(frame)
  await setImmediate()
  expect(tcp.writableLength).toBeLessThan(200_000)
  read()
  expect(await client.closure()).toMatchObject({ code: 4008 })
  expect(framesOf(client, 'message').length).toBeLessThan(20)
})

test('changes held back during a resume come after it, and count as waiting', async () => {
  const { connection, client, read } = await connectStalled()
  connection.hold(7)
  for (let version = 1; version <= 4; version++)
    connection.writeChange(7, version, encodeFrame({ type: 'message', version }))
  connection.writeChange(8, 1, encodeFrame({ type: 'message', version: 'other' }))
  connection.write(encodeFrame({ type: 'message', version: 'resumed' }))
  connection.release(7, 2)
  read()
  await client.until(() => framesOf(client, 'message').length === 4)
  expect(framesOf(client, 'message').map(({ version }) => version)).toEqual(['other', 'resumed', 3, 4])

  const another = await connectStalled()
  another.connection.hold(7)
  const large = encodeFrame({ type: 'message', text: 'x'.repeat(100_000) })
  for (let version = 1; version <= 12; version++) another.connection.writeChange(7, version, large)
  another.read()
  expect(await another.client.closure()).toMatchObject({ code: 4008 })
})

test('`drained` resolves when the client has read, and when the connection ends', async () => {
  const { connection, client, read } = await connectStalled()
  await connection.drained()
  const frame = encodeFrame({ type: 'message', text: 'x'.repeat(300_000) })
  connection.write(frame)
  let drained = false
  const waiting = connection.drained().then(() => {
    drained = true
  })
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  expect(drained).toBe(false)
  read()
  await waiting
  await client.until(() => framesOf(client, 'message').length === 1)

  const another = await connectStalled()
  another.connection.write(frame)
  const ended = another.connection.drained()
  another.connection.terminate()
  await ended
})
