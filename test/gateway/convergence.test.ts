import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { Device, type DeviceView, type ShownMessage, showMessage } from '../support/device.ts'
import { hasRedis, RedisServer } from '../support/outside/redis.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { type ServiceProcess, startNodeProcess } from '../support/processes/process.ts'
import { connect, SECRET, type TestService, withService } from '../support/service.ts'

/** LONG_TESTS=1 takes more steps. SEED repeats the run that a failure names. */
const STEPS = process.env.LONG_TESTS ? 60_000 : 1_200
const SEED = Number(process.env.SEED ?? randomInt(1e9))
const CHAT = '/api/v01/chat'
const PEOPLE = 7

/** Pseudo-random numbers in [0, 1), the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

class Walk {
  readonly #next = random(SEED)
  readonly #urls: () => string[]
  readonly people: Client[]
  readonly devices: Device[]
  readonly counts: Record<string, number> = {}

  constructor(people: Client[], urls: () => string[]) {
    this.people = people
    this.#urls = urls
    this.devices = people.flatMap((person) => [new Device(person), new Device(person)])
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#next() * items.length)]
  }

  /** What people do, each with its weight in the random choice. */
  readonly #actions: [weight: number, name: string, act: (device: Device, me: Client) => Promise<unknown>][] =
    [
      [30, 'send', async (device, me) => this.#inConversation(device, (id) => me.send(id, this.#text()))],
      [
        6,
        'send by socket',
        async (device) =>
          this.#inConversation(device, async (id) => {
            const { socket } = device
            const send = { type: 'send', conversation_id: id, message: this.#text() }
            if (socket) await Promise.race([socket.ask(send), socket.closure()])
          }),
      ],
      [
        8,
        'edit',
        async (device, me) =>
          this.#onMessage(device, (id) => me.patch(`${CHAT}/messages/${id}`, { message: this.#text() })),
      ],
      [
        4,
        'delete',
        async (device, me) => this.#onMessage(device, (id) => me.delete(`${CHAT}/messages/${id}`)),
      ],
      [
        8,
        'react',
        async (device, me) =>
          this.#inConversation(device, async (id) => {
            const { messages } = device.conversations.get(id) ?? {}
            const message = this.pick([...(messages?.values() ?? [])].slice(-5))
            const emoji = encodeURIComponent(this.pick(['👍', '🎉', '😀']) ?? '')
            const path =
              `${CHAT}/conversations/${id}/messages/${message?.id ?? 1}/reactions/${emoji}` as const
            await (this.#next() < 0.6 ? me.put(path) : me.delete(path))
          }),
      ],
      [
        4,
        'mention',
        async (device, me) =>
          this.#inConversation(device, (id) =>
            me.post(`${CHAT}/conversations/${id}/messages`, {
              message: this.#text(),
              mentions: this.people.map((person) => person.id).filter(() => this.#next() < 0.4),
            }),
          ),
      ],
      [
        3,
        'send a file',
        async (device, me) =>
          this.#inConversation(device, async (id) => {
            const file = form({}, { field: 'file', name: 'a.txt', bytes: this.#text() })
            const { body } = await me.request(
              'POST',
              `${CHAT}/conversations/${id}/attachments` as const,
              file,
            )
            const attachment_ids = [(body as { attachment?: { id: number } }).attachment?.id ?? 1]
            const client_id = randomUUID()
            const send = () =>
              me.post(`${CHAT}/conversations/${id}/messages`, { message: '', attachment_ids, client_id })
            await Promise.all([send(), send()])
          }),
      ],
      [
        4,
        'settings',
        async (device, me) =>
          this.#inConversation(device, (id) => {
            const settings = this.pick([
              { pinned: true },
              { pinned: false },
              { archived: true },
              { archived: false },
              { muted_until: new Date(Date.now() + this.#next() * 20_000).toISOString() },
              { muted_until: null },
            ])
            return me.patch(`${CHAT}/conversations/${id}/settings`, settings)
          }),
      ],
      [
        12,
        'read',
        async (device, me) =>
          this.#inConversation(device, (id) => me.post(`${CHAT}/conversations/${id}/read`)),
      ],
      [
        4,
        'typing',
        async (device) =>
          this.#inConversation(device, async (id) =>
            device.socket?.send({ type: 'typing', conversation_id: id }),
          ),
      ],
      [
        2,
        'group',
        async (_, me) =>
          me.post(`${CHAT}/groups`, {
            name: this.#text(),
            member_ids: [this.#other(me).id, this.#other(me).id],
          }),
      ],
      [
        3,
        'add',
        async (device, me) =>
          this.#inGroup(device, (id) =>
            me.post(`${CHAT}/groups/${id}/members`, { member_ids: [this.#other(me).id] }),
          ),
      ],
      [
        3,
        'remove',
        async (device, me) =>
          this.#inGroup(device, (id) => me.delete(`${CHAT}/groups/${id}/members/${this.#other(me).id}`)),
      ],
      [
        2,
        'leave',
        async (device, me) =>
          this.#inGroup(device, (id) => me.delete(`${CHAT}/groups/${id}/members/${me.id}`)),
      ],
      [
        2,
        'rename',
        async (device, me) =>
          this.#inGroup(device, (id) => me.patch(`${CHAT}/groups/${id}`, { name: this.#text() })),
      ],
      [2, 'block', async (_, me) => me.put(`${CHAT}/blocks/${this.#other(me).id}`)],
      [4, 'unblock', async (_, me) => me.delete(`${CHAT}/blocks/${this.#other(me).id}`)],
      [
        1,
        'disconnect',
        async (_, me) => {
          const { body } = await me.get(`${CHAT}/conversations`, 200)
          const direct = this.pick(body.conversations.filter(({ conn_id }) => conn_id))
          if (direct) await me.delete(`${CHAT}/connections/${(direct as { conn_id: number }).conn_id}`)
        },
      ],
      [4, 'connect', async (_, me) => me.post(`${CHAT}/connections`, { recipient_id: this.#other(me).id })],
      [
        4,
        'respond',
        async (_, me) => {
          const { body } = await me.get(`${CHAT}/connections/requests`, 200)
          const request = this.pick(body.requests as { conn_id: number }[])
          if (request)
            await me.post(`${CHAT}/connections/${request.conn_id}/respond`, {
              action: this.pick(['accept', 'accept', 'reject']),
            })
        },
      ],
      [4, 'drop', async (device) => device.drop()],
      [
        5,
        'come back',
        async (device) => {
          if (!device.isConnected) await device.connect(this.pick(this.#urls()) ?? '')
        },
      ],
    ]

  /** Takes that many random actions at once. */
  async step(count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, async () => {
        const device = this.pick(this.devices) as Device
        const me = device.person.at(this.pick(this.#urls()) ?? '')
        const [name, act] = this.#pickAction()
        this.counts[name] = (this.counts[name] ?? 0) + 1
        try {
          await act(device, me)
        } catch (error) {
          // Only a request to a node that has just been killed may fail.
          if (!/fetch failed|ECONN|socket hang up|closed|nothing came/.test(String(error))) throw error
        }
      }),
    )
  }

  /** Connects every device, and waits until each shows exactly what the service stores. */
  async expectTruth(): Promise<void> {
    for (const device of this.devices)
      if (!device.isConnected) await device.connect(this.pick(this.#urls()) ?? '')
    for (const device of this.devices)
      await expect
        .poll(
          async () => {
            await device.settled()
            return differences(device.shown(), await stored(device.person.at(this.#urls()[0] ?? '')))
          },
          { timeout: PATIENCE_MS, interval: 100, message: `seed ${SEED}, ${device.person.username}` },
        )
        .toEqual([])
    expect(
      this.devices.flatMap(({ violations }) => violations),
      `seed ${SEED}`,
    ).toEqual([])
  }

  #pickAction() {
    let at = this.#next() * this.#actions.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, name, act] of this.#actions) {
      at -= weight
      if (at < 0) return [name, act] as const
    }
    throw new Error('weights do not add up')
  }

  #text(): string {
    return `text ${Math.floor(this.#next() * 1e6)}`
  }

  #other(me: Client): Client {
    return this.pick(this.people.filter(({ id }) => id !== me.id)) as Client
  }

  async #inConversation(device: Device, act: (id: number) => Promise<unknown>): Promise<void> {
    const id = this.pick([...device.conversations.keys()])
    if (id !== undefined) await act(id)
  }

  async #inGroup(device: Device, act: (id: number) => Promise<unknown>): Promise<void> {
    const groups = [...device.conversations].filter(([, { isGroup }]) => isGroup)
    const [id] = this.pick(groups) ?? []
    if (id !== undefined) await act(id)
  }

  async #onMessage(device: Device, act: (id: number) => Promise<unknown>): Promise<void> {
    const own = [...device.conversations.values()].flatMap(({ messages }) =>
      [...messages.values()].filter(({ senderId }) => senderId === device.person.id).slice(-5),
    )
    const message = this.pick(own)
    if (message) await act(message.id)
  }
}

async function stored(person: Client): Promise<DeviceView> {
  const lists = await Promise.all([
    person.get(`${CHAT}/conversations`, 200),
    person.get(`${CHAT}/conversations?archived=true`, 200),
  ])
  const shown: DeviceView['conversations'] = {}
  for (const { id, name, settings } of lists.flatMap(({ body }) => body.conversations)) {
    const messages: ShownMessage[] = []
    let before = ''
    for (;;) {
      const page = await person.get(`${CHAT}/conversations/${id}/messages?limit=100&peek=true${before}`, 200)
      messages.unshift(...page.body.messages.map(showMessage))
      if (!page.body.has_more) break
      before = `&before=${page.body.messages[0]?.created_at}`
    }
    shown[id] = { name, pinned: settings.pinned, messages }
  }
  const counters = (await person.get(`${CHAT}/unread`, 200)).body
  const presence = (await person.get(`${CHAT}/presence`, 200)).body
  return {
    conversations: shown,
    unread: counters.unread,
    unreadAll: counters.unread_all,
    mentions: counters.mentions,
    requests: counters.requests,
    online: presence.status,
  }
}

function differences(shown: DeviceView, truth: DeviceView): string[] {
  const found: string[] = []
  const compare = (what: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other))
      found.push(`${what}: shows ${JSON.stringify(one)}, is ${JSON.stringify(other)}`)
  }
  compare('conversations', Object.keys(shown.conversations).sort(), Object.keys(truth.conversations).sort())
  for (const [id, conversation] of Object.entries(truth.conversations))
    compare(`conversation ${id}`, shown.conversations[id], conversation)
  compare('unread', shown.unread, truth.unread)
  compare('mentions', shown.mentions, truth.mentions)
  compare('unread in all', shown.unreadAll, truth.unreadAll)
  compare('requests', shown.requests, truth.requests)
  for (const [id, online] of Object.entries(truth.online))
    compare(`presence of ${id}`, shown.online[id] ?? false, online)
  return found
}

async function begin(service: TestService, urls: () => string[] = () => service.urls): Promise<Walk> {
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => service.person()))
  const [first, ...others] = people as [Client, ...Client[]]
  for (const other of others) await connect(first, other)
  const walk = new Walk(people, urls)
  for (const [index, device] of walk.devices.entries())
    await device.connect(urls()[index % urls().length] ?? '')
  return walk
}

describe('whatever people do at once, every device ends up showing what is stored', () => {
  test('on a lone node', { timeout: 600_000 }, async () => {
    const walk = await begin(await withService())
    for (let done = 0; done < STEPS; done += 5) await walk.step(5)
    await walk.expectTruth()
    expect(
      walk.devices.flatMap(({ gaps }) => gaps),
      `seed ${SEED}`,
    ).toEqual([])
  })

  describe.runIf(hasRedis())('on two nodes', () => {
    let redis: RedisServer
    beforeAll(async () => {
      redis = await RedisServer.start()
    })
    afterAll(() => redis.stop())

    test('with an outage of Redis that loses its data', { timeout: 600_000 }, async () => {
      const walk = await begin(await withService({ nodes: 2, config: { redisUrl: redis.url } }))
      for (let done = 0; done < STEPS / 2; done += 5) {
        if (done === STEPS / 5) await redis.stop()
        if (done === (STEPS / 5) * 2) await redis.start()
        await walk.step(5)
      }
      await walk.expectTruth()
    })

    test('one of which is killed and started again', { timeout: 600_000 }, async () => {
      const service = await withService()
      const start = async () => {
        const process = await startNodeProcess({
          env: {
            DATABASE_URL: service.databaseUrl,
            DATA_DIR: service.dataDir,
            REDIS_URL: redis.url,
            JWT_SECRET: SECRET,
            PORT: '0',
          },
          config: {
            chat: { sendIntervalMs: 0 },
            presence: { graceMs: 100, beatMs: 200, leaseMs: 600, activeMs: 30_000 },
          },
        })
        return { process, url: await process.ready() }
      }
      let nodes: { process: ServiceProcess; url: string }[] = await Promise.all([start(), start()])
      const walk = await begin(service, () => nodes.map(({ url }) => url))
      const rounds = process.env.LONG_TESTS ? 10 : 2
      for (let round = 0; round < rounds; round++) {
        for (let done = 0; done < STEPS / 4 / rounds; done += 5) await walk.step(5)
        const [killed, other] = nodes as [(typeof nodes)[number], (typeof nodes)[number]]
        await Promise.all([walk.step(10), killed.process.exit('SIGKILL')])
        nodes = [other]
        const starting = start()
        for (let done = 0; done < STEPS / 4 / rounds; done += 5) await walk.step(5)
        nodes = [other, await starting]
      }
      await walk.expectTruth()
    })
  })
})
