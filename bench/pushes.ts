import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { find, median, quantile, type Report, summarise, table } from './measure.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

const SUBSCRIBERS = 10_000
/** Two people who write to each other meanwhile, beside the subscribers. */
export const WRITER = SUBSCRIBERS + 1
const CONVERSATION = SUBSCRIBERS / 2 + 1
/** A send begins this often. */
const PACE_MS = 10
const LOOK_MS = 10

/**
 * Everybody who took an exam is told of its release, while others write; then again while one of two nodes is killed.
 */
export async function benchPushes(rounds: number): Promise<Report> {
  const world = await createWorld()
  const receiver = await startReceiver()
  try {
    await populate(world.sql, SUBSCRIBERS + 2, 2)
    await subscribe(world, receiver.host)
    const settings = { VAPID_SUBJECT: 'mailto:bench@example.org', PUSH_ALLOWED_HOSTS: receiver.host }
    const [one, other] = [await world.start('service', settings), await world.start('service', settings)]
    const queued: number[] = []
    const delivered: number[] = []
    const calm: number[] = []
    const beside: number[] = []
    for (let round = 0; round < rounds; round++) {
      receiver.forget()
      const latencies = await writeFor(world, one, async () => {
        const beganAt = performance.now()
        await release(world, one)
        await untilQueued(world)
        queued.push(performance.now() - beganAt)
        await untilSent(world)
        delivered.push(performance.now() - beganAt)
      })
      beside.push(quantile(latencies, 0.99))
      receiver.expectAll()
      // As long, since the slowest of few sends says little.
      const waiting = () => setTimeout(delivered.at(-1))
      calm.push(quantile(await writeFor(world, one, waiting), 0.99))
    }
    receiver.forget()
    await release(world, one)
    while (receiver.reached() < SUBSCRIBERS / 3) await setTimeout(LOOK_MS)
    process.kill(other.pid, 'SIGKILL')
    await other.stop()
    await untilSent(world)
    receiver.expectAll()
    const repeated = receiver.repeated()
    const text = `### Pushes

${SUBSCRIBERS.toLocaleString('en-US')} people who took an exam are told that its results are released, by two nodes; meanwhile somebody sends a message every ${PACE_MS} ms.

${table(
  ['', ''],
  [
    ['queued after the release, ms', summarise(queued)],
    [
      'all taken by the push service, s',
      summarise(
        delivered.map((ms) => ms / 1_000),
        1,
      ),
    ],
    ['p99 of a send without pushes, ms', summarise(calm, 1)],
    ['p99 of a send beside them, ms', summarise(beside, 1)],
  ],
)}

When one node is killed (SIGKILL) on the way, everybody is told, and ${repeated} of the pushes that it was sending are repeated.
`
    return {
      text,
      findings: [
        find(`${SUBSCRIBERS.toLocaleString('en-US')} pushes queued, ms`, median(queued), '', '≤', 2_000),
        find('p99 of sends beside pushes ÷ without', median(beside) / median(calm), '', '≤', 1.1),
      ],
    }
  } finally {
    receiver.close()
    await world.close()
  }
}

/** The latencies of sends, in ms, while `work` runs. */
export async function writeFor(
  world: World,
  { url }: Server,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const headers = { authorization: `Bearer ${world.tokenOf(WRITER)}`, 'content-type': 'application/json' }
  const latencies: number[] = []
  const running = new Set<Promise<void>>()
  let isOver = false
  const send = async () => {
    const beganAt = performance.now()
    const body = JSON.stringify({ message: 'beside the pushes', client_id: randomUUID() })
    const address = `${url}/api/v01/chat/conversations/${CONVERSATION}/messages`
    const answer = await fetch(address, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    if (answer.status !== 201) throw new Error(`a send was answered ${answer.status}`)
    latencies.push(performance.now() - beganAt)
  }
  const writing = (async () => {
    while (!isOver) {
      const sending: Promise<void> = send().finally(() => running.delete(sending))
      running.add(sending)
      await setTimeout(PACE_MS)
    }
    await Promise.all(running)
  })()
  await work()
  isOver = true
  await writing
  return latencies
}

async function subscribe({ sql }: World, host: string): Promise<void> {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  await sql`insert into exams (id, name, published, result_mode) values (1, 'An exam', true, 'on_release')`
  await sql`insert into questions (exam_id, question_text, correct_answer) values (1, 'Which one?', 'A')`
  await sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at)
    select n, 1, 1, 'manual', now() from generate_series(1, ${SUBSCRIBERS}::int) n`
  await sql`insert into sessions (id, user_id, kind, expires_at) select n, n, 'client', now() + interval '1 day' from generate_series(1, ${SUBSCRIBERS}::int) n`
  await sql`
    insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
    select n, n, 'http://' || ${host}::text || '/' || n, ${keys.getPublicKey('base64url')}, ${randomBytes(16).toString('base64url')}
      from generate_series(1, ${SUBSCRIBERS}::int) n`
  await sql`analyze`
}

async function release(world: World, { url }: Server): Promise<void> {
  const token = world.tokenOf(WRITER, 'user,admin')
  for (const released of [false, true]) {
    const answer = await fetch(`${url}/api/v01/admin/exams/1/toggle-results`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ released }),
    })
    if (!answer.ok) throw new Error(`the release was answered ${answer.status}: ${await answer.text()}`)
  }
}

async function untilQueued({ sql }: World): Promise<void> {
  while ((await sql`select 1 from push_causes limit 1`).length > 0) await setTimeout(LOOK_MS)
}

async function untilSent(world: World): Promise<void> {
  await untilQueued(world)
  while ((await world.sql`select 1 from pushes limit 1`).length > 0) await setTimeout(LOOK_MS)
}

/** A push service that takes everything, and counts it by device. */
async function startReceiver() {
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    counts.set(request.url ?? '', (counts.get(request.url ?? '') ?? 0) + 1)
    request.resume().on('end', () => response.writeHead(201).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    forget: () => counts.clear(),
    reached: () => counts.size,
    repeated: () => [...counts.values()].reduce((sum, count) => sum + count - 1, 0),
    expectAll() {
      if (counts.size !== SUBSCRIBERS) throw new Error(`${counts.size} of ${SUBSCRIBERS} were told`)
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
