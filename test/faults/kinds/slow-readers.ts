import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { Client } from '../../support/client.ts'
import { connect } from '../../support/service.ts'
import { long } from '../show.ts'
import type { Node, World } from '../world.ts'

const READERS = 20
/** 16 KB per message. */
const TEXT = '😀'.repeat(4_000)
/** How long a closed slow reader may still read what was sent (docs/protocol/realtime.md#limits). */
const CUT_OFF_MS = 30_000
/** Most additional memory, of heap and buffers; the load of the other people goes on meanwhile. */
const MAX_KEPT_MB = 30

/** Sockets whose peers stop reading. */
export function slowReaderFaults(): void {
  long(`${READERS} sockets of one person that stop reading`, async (world) => {
    const node = world.nodes[0] as Node
    const [sender, reader, one, other] = await register(world, node, 4)
    const [conversation, others] = [await connect(sender, reader), await connect(one, other)]
    const sockets = await Promise.all(Array.from({ length: READERS }, () => dial(reader)))
    const codes = sockets.map((ws) => new Promise<number>((resolve) => ws.once('close', resolve)))
    const before = await memoryOf(node)

    // Two others write to each other meanwhile.
    const times: number[] = []
    let done = false
    const probe = await other.socket()
    const probing = (async () => {
      while (!done) {
        const began = performance.now()
        const { body } = await one.send(others, 'quick', undefined, 201)
        await probe.waitFor((frame) => frame.message?.id === body.message.id)
        times.push(performance.now() - began)
        probe.frames.length = 0
        await sleep(20)
      }
    })()

    for (const ws of sockets) tcpOf(ws).pause()
    const slow = () => node.measure('gateway_slow_readers_total')
    // Send much at once: a paused socket doesn't answer pings, and would be closed for that after a while.
    while ((await slow()) < READERS)
      await Promise.all(Array.from({ length: 20 }, () => sender.send(conversation, TEXT, undefined, 201)))
    const peak = await memoryOf(node)
    // Half of them continue reading and get the close code; the others never read.
    for (const ws of sockets.slice(READERS / 2)) tcpOf(ws).resume()
    expect(new Set(await Promise.all(codes.slice(READERS / 2)))).toEqual(new Set([4008]))
    await expect
      .poll(async () => (await memoryOf(node)) - before, { timeout: CUT_OFF_MS + 20_000, interval: 500 })
      .toBeLessThan(MAX_KEPT_MB)
    const kept = Math.max(0, (await memoryOf(node)) - before)
    done = true
    await probing
    const slowest = Math.max(...times) / 1_000
    expect(slowest).toBeLessThan(1)
    const note = `cut off by 4008; others heard within ${slowest.toFixed(2)} s; memory +${(peak - before).toFixed(0)} MB, then +${kept.toFixed(0)}`
    return { since: performance.now(), note }
  })
}

async function register({ documented }: World, { url }: Node, count: number) {
  const people: Client[] = []
  for (let n = 0; n < count; n++) {
    const person = new Client(url, documented)
    await person.register(`reader${n}`)
    people.push(person)
  }
  return people as [Client, Client, Client, Client]
}

async function dial({ url, accessToken }: Client): Promise<WebSocket> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/api/v01/ws`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  ws.on('error', () => {})
  onTestFinished(() => ws.terminate())
  await once(ws, 'message')
  return ws
}

function tcpOf(ws: WebSocket): Socket {
  return (ws as unknown as { _socket: Socket })._socket
}

/** MB of the heap and of buffers outside of it. */
async function memoryOf(node: Node): Promise<number> {
  const [heap, external] = await Promise.all([
    node.measure('nodejs_heap_size_used_bytes'),
    node.measure('nodejs_external_memory_bytes'),
  ])
  return (heap + external) / 1e6
}
