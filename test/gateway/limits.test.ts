import type { Socket } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectedPair, type SharedService, sharedService } from '../support/service.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

describe('too many or too large frames', () => {
  test('100 frames in 10 s pass, the next one closes with 4029', async () => {
    const socket = await (await service.person()).socket()
    for (let n = 0; n < 100; n++) socket.send({ type: 'ping', ref: `p${n}` })
    await socket.waitFor(({ ref }) => ref === 'p99')
    expect(socket.closed).toBeUndefined()
    socket.send({ type: 'ping' })
    expect(await socket.closure()).toMatchObject({ code: 4029 })
  })

  test('pings and pongs count as well', async () => {
    for (const kind of ['ping', 'pong'] as const) {
      const socket = await (await service.person()).socket()
      // One after another, since a burst of pings ends the connection without a close code.
      for (let n = 0; n < 101; n++) await new Promise((resolve) => socket.ws[kind]('', true, resolve))
      expect(await socket.closure()).toMatchObject({ code: 4029 })
    }
  })

  test('a frame in more than 64 pieces closes with 1008', async () => {
    const socket = await (await service.person()).socket()
    const inPieces = (pieces: number, ref: string) => {
      const frame = JSON.stringify({ type: 'ping', ref })
      for (let n = 1; n < pieces; n++) socket.ws.send(n === 1 ? frame : ' ', { fin: false })
      socket.ws.send(' ', { fin: true })
    }
    inPieces(64, 'whole')
    await socket.waitFor(({ type, ref }) => type === 'pong' && ref === 'whole')
    inPieces(65, 'crumbs')
    expect(await socket.closure()).toMatchObject({ code: 1008 })
  })

  test('frames after the one that closes the socket are not handled', async () => {
    const socket = await (await service.person()).socket()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const tcp = (socket.ws as unknown as { _socket: Socket })._socket
    tcp.cork()
    for (let n = 0; n < 1_000; n++) socket.send({ type: 'ping' })
    tcp.uncork()
    expect(await socket.closure()).toMatchObject({ code: 4029 })
    expect(timers.mock.calls.filter(([, delay]) => delay === 1_000).length).toBeLessThan(5)
  })

  test('a frame of 64 KiB passes, a larger one closes with 1009', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [socket, his] = await Promise.all([alice.socket(), bob.socket()])
    const frame = JSON.stringify({ type: 'ping', ref: 'large', padding: '' })
    const largest = frame.replace('""', `"${'x'.repeat(64 * 1024 - frame.length)}"`)
    expect(Buffer.byteLength(largest)).toBe(64 * 1024)
    socket.send(largest)
    await socket.waitFor(({ type, ref }) => type === 'pong' && ref === 'large')
    socket.send(`${largest} `)
    expect(await socket.closure()).toMatchObject({ code: 1009 })
    await alice.send(conversationId, 'nobody else felt it')
    await his.waitFor(({ type }) => type === 'message')
  })

  test('malformed frames are answered with errors; too many close with 4002', async () => {
    const socket = await (await service.person()).socket()
    const malformed = ['', 'x', '[]', 'null', '{}', '{"type":1}', '{"type":"toString"}', Buffer.from([1, 2])]
    for (const frame of malformed) socket.ws.send(frame)
    await socket.until(() => socket.of('error').length === malformed.length)
    expect(new Set(socket.of('error').map(({ code }) => code))).toEqual(new Set(['invalid_frame']))
    for (let n = 0; n < 5; n++) socket.send('x')
    expect(await socket.closure()).toMatchObject({ code: 4002 })
  })
})

describe('a slow reader', () => {
  test('is disconnected if it does not read, while others get everything, and catches up by a resume', {
    meta: { costly: 'sends 50 MB to a socket' },
  }, async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [slow, quick] = await Promise.all([bob.socket(), bob.socket()])
    await alice.send(conversationId, 'before')
    await slow.waitFor(({ type }) => type === 'message')
    const tcp = (slow.ws as unknown as { _socket: Socket })._socket
    tcp.pause()

    // 50 MB, more than any kernel buffers.
    const { bus } = (service.nodes[0] as (typeof service.nodes)[number]).core
    const frame = { type: 'error', code: 'internal_error', message: 'x'.repeat(250_000) } as const
    for (let n = 0; n < 200; n++) {
      bus.publish(`user:${bob.id}`, { kind: 'frame', frame })
      await quick.until(() => quick.of('error').length === n + 1)
    }
    await alice.send(conversationId, 'after')
    await quick.waitFor(({ type, message }) => type === 'message' && message.message === 'after')

    tcp.resume()
    expect(await slow.closure()).toMatchObject({ code: 4008 })
    expect(slow.of('error').length).toBeLessThan(200)
    expect(slow.of('message')).toHaveLength(1)
    const back = await bob.socket()
    await back.ask({ type: 'resume', conversations: { [conversationId]: 1 } })
    expect(back.of('message').map(({ message }) => message.message)).toEqual(['after'])
  })

  test('gets a whole resume that is larger than the bound, if it reads', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    for (let n = 0; n < 10; n++)
      await Promise.all(Array.from({ length: 20 }, () => alice.send(conversationId, '€'.repeat(4_000))))
    const socket = await bob.socket()
    await socket.ask({ type: 'resume', conversations: { [conversationId]: 0 } })
    expect(socket.of('message').map(({ message }) => message.seq)).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 1),
    )
  })
})
