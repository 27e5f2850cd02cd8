import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { find, median, type Report, residentMemory, summarise, table } from './measure.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

/** 16 KB in each message, 50 MB in total. */
const TEXT = '😀'.repeat(4_000)
const MESSAGES = 3_200
const SENDERS_AT_ONCE = 4
/** Two people who write to each other meanwhile. */
const PROBE_EVERY_MS = 20

async function openSocket(world: World, { url }: Server, userId: number): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v01/ws`, {
    headers: { authorization: `Bearer ${world.tokenOf(userId)}` },
  })
  socket.on('error', () => {})
  await once(socket, 'message')
  return socket
}

async function send(world: World, { url }: Server, userId: number, conversationId: number, message: string) {
  const answer = await fetch(`${url}/api/v01/chat/conversations/${conversationId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokenOf(userId)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  })
  if (answer.status !== 201) throw new Error(`a send was answered ${answer.status}`)
  await answer.arrayBuffer()
}

/** Sends 50 MB to person 2, who reads them or not, while persons 3 and 4 write to each other. */
async function push(world: World, server: Server, reads: boolean) {
  const [target, probe] = await Promise.all([openSocket(world, server, 2), openSocket(world, server, 4)])
  const targetTcp = (target as unknown as { _socket: Socket })._socket
  if (!reads) targetTcp.pause()
  const closed = once(target, 'close')

  const latencies: number[] = []
  probe.on('message', (data) => {
    const frame = JSON.parse(data.toString())
    if (frame.type === 'message') latencies.push(performance.now() - Number(frame.message.message))
  })
  const before = residentMemory(server.pid)
  let peak = before
  let done = false
  const probing = (async () => {
    while (!done) {
      await Promise.all([send(world, server, 3, 2, String(performance.now())), setTimeout(PROBE_EVERY_MS)])
      peak = Math.max(peak, residentMemory(server.pid))
    }
  })()
  let left = MESSAGES
  await Promise.all(
    Array.from({ length: SENDERS_AT_ONCE }, async () => {
      while (left-- > 0) await send(world, server, 1, 1, TEXT)
    }),
  )
  done = true
  await probing
  await setTimeout(100)

  const bytesBefore = targetTcp.bytesRead
  if (!reads) targetTcp.resume()
  else target.close()
  const [code] = await closed
  probe.close()
  latencies.sort((one, other) => one - other)
  return {
    grown: peak - before,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    code: code as number,
    taken: (reads ? targetTcp.bytesRead : targetTcp.bytesRead - bytesBefore) / 1024 / 1024,
  }
}

/**
 * How a client that doesn't read affects its node and the other people on it
 * (docs/protocol/realtime.md#limits).
 */
export async function benchSlowReader(rounds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, 4, 2)
    const server = await world.start('service')
    // Lets the node grow to its usual memory first.
    await push(world, server, true)
    const results = {
      reads: [] as Awaited<ReturnType<typeof push>>[],
      stalled: [] as Awaited<ReturnType<typeof push>>[],
    }
    for (let round = 0; round < rounds; round++) {
      results.reads.push(await push(world, server, true))
      results.stalled.push(await push(world, server, false))
    }
    const row = (name: string, all: typeof results.reads) => [
      name,
      summarise(
        all.map(({ grown }) => grown),
        1,
      ),
      summarise(
        all.map(({ p99 }) => p99),
        1,
      ),
      [...new Set(all.map(({ code }) => code))].join(', '),
      summarise(
        all.map(({ taken }) => taken),
        1,
      ),
    ]
    const text = `### A reader that does not read\n\n50 MB in 16 KB messages to one socket, on PostgreSQL ${world.databaseVersion}\n\n${table(
      ['the reader', 'memory grew by, MB', "others' p99, ms", 'closed with', 'MB it got'],
      [row('reads', results.reads), row('does not read', results.stalled)],
    )}\n`
    const p99 = (all: typeof results.reads) => median(all.map((each) => each.p99))
    const [alone, beside] = [p99(results.reads), p99(results.stalled)]
    return {
      text,
      findings: [
        find("others' p99 beside a reader that doesn't read ÷ one that does", beside / alone, '', '≤', 1.5),
      ],
    }
  } finally {
    await world.close()
  }
}
