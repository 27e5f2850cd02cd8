import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { Client } from '../../support/client.ts'
import { holdLocks } from '../../support/locks.ts'
import { long } from '../show.ts'
import type { Node, World } from '../world.ts'

const SOCKETS = process.env.LONG_TESTS ? 5_000 : 1_000
/** Sockets of one person, one less than the limit. */
const SOCKETS_EACH = 49
const REQUESTS = 100
const DRAIN_SECONDS = 4
/** docs/protocol/operations.md#draining */
const MAX_SECONDS = DRAIN_SECONDS + 11

/** A node that is stopped while it has much to do. */
export function leavingFaults(): void {
  long(
    `SIGTERM with ${REQUESTS} requests, ${SOCKETS.toLocaleString('en')} sockets and a stalled reader`,
    async (world) => {
      const node = world.nodes[0] as Node
      const people = await register(world, node, Math.ceil(SOCKETS / SOCKETS_EACH))
      const closures: Promise<number>[] = []
      for (const person of people)
        await Promise.all(
          Array.from({ length: Math.min(SOCKETS_EACH, SOCKETS - closures.length) }, () =>
            open(node, person, closures),
          ),
        )
      const stalled = await stall(node, people[0] as Client)

      // A transaction holds the rows that these requests change until the node stops listening.
      const letGo = await holdLocks(
        world.sql,
        (tx) => tx`select from users where id = any(${people.map(({ id }) => id)}) for update`,
      )
      const answers = Array.from({ length: REQUESTS }, async (_, n) => {
        const person = people[n % people.length] as Client
        const { status } = await person.patch('/api/v01/account', { full_name: `Name ${n}` })
        return status
      })
      await expect.poll(() => node.measure('db_work_under_way')).toBeGreaterThan(50)

      const began = performance.now()
      const exit = node.end('SIGTERM')
      await sleep((DRAIN_SECONDS + 1) * 1_000)
      await letGo()
      expect(await Promise.all(answers)).toEqual(Array(REQUESTS).fill(200))
      expect(await exit).toBe(0)
      const seconds = (performance.now() - began) / 1_000
      expect(seconds).toBeLessThan(MAX_SECONDS)
      expect(new Set(await Promise.all(closures))).toEqual(new Set([1012]))
      stalled.destroy()
      await node.start()
      const note = `all served, closed with 1012, exit 0 after ${seconds.toFixed(1)} s`
      return { since: performance.now(), note }
    },
    () => ({ env: { DRAIN_DELAY: String(DRAIN_SECONDS) }, asShipped: true }),
  )
}

async function register({ documented }: World, { url }: Node, count: number): Promise<Client[]> {
  const people: Client[] = []
  for (let n = 0; n < count; n++) {
    const person = new Client(url, documented)
    await person.register(`leaver${n}`)
    people.push(person)
  }
  return people
}

/** Opens a socket and records the code with which it is closed. */
async function open(node: Node, { accessToken }: Client, closures: Promise<number>[]): Promise<void> {
  const ws = dial(node.url, accessToken)
  closures.push(new Promise((resolve) => ws.once('close', resolve)))
  await once(ws, 'message')
}

function dial(url: string, token = ''): WebSocket {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/api/v01/ws`, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  })
  ws.on('error', () => {})
  onTestFinished(() => ws.terminate())
  return ws
}

/** A socket whose client never reads. */
async function stall({ url }: Node, { accessToken }: Client): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(
    `GET /api/v01/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n` +
      `Authorization: Bearer ${accessToken}\r\n\r\n`,
  )
  return socket
}
