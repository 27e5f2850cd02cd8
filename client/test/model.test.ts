import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Client as Person } from '../../test/support/client.ts'
import { createExam } from '../../test/support/content/exams.ts'
import { connect, startService, type TestService } from '../../test/support/service.ts'
import type { RoomMessage } from '../src/chat/chat.ts'
import { brief } from './support/conversation.ts'
import { Device } from './support/device.ts'
import { Network } from './support/network.ts'

/** LONG_TESTS=1 takes longer walks, as many as WALKS says (500). SEED repeats the walk that a failure names. */
const SEEDS = process.env.SEED
  ? [Number(process.env.SEED)]
  : Array.from({ length: process.env.LONG_TESTS ? Number(process.env.WALKS ?? 500) : 3 }, () =>
      randomInt(1e9),
    )
const STEPS = process.env.LONG_TESTS ? 200 : 60
const CHAT = '/api/v01/chat'
let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: inject('redisUrl') ? 2 : 1 })
})
afterAll(() => service.close())

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

interface World {
  devices: Device[]
  people: Person[]
  conversations: number[]
  examId: number
  questionIds: number[]
  next: () => number
}

const pick = <T>({ next }: World, items: readonly T[]): T => items[Math.floor(next() * items.length)] as T

const LETTERS = ['A', 'B', 'C', 'D', null]

type Step = (world: World, device: Device, id: number) => unknown

/** What people do and what happens to their devices, each with its weight in the random choice. */
const STEPS_BY_WEIGHT: [weight: number, name: string, step: Step][] = [
  [30, 'write', (world, device, id) => device.write(id, `text ${Math.floor(world.next() * 1e9)}`)],
  [15, 'answer', (world, device) => device.answer(pick(world, world.questionIds), pick(world, LETTERS))],
  [8, 'read', (_, { chat }, id) => chat.$conversations.get() && chat.read(id)],
  [5, 'edit', (world, { person }, id) => changeOwn(world, person, id, 'edit')],
  [3, 'delete', (world, { person }, id) => changeOwn(world, person, id, 'delete')],
  [3, 'typing', (_, { chat }, id) => chat.typing(id)],
  [2, 'rename', (world, _, __) => rename(world)],
  [5, 'cut', (_, { network }) => network.cut()],
  [3, 'half open', (_, { network }) => network.freeze()],
  [3, 'another node', (world, { network }) => network.moveTo(pick(world, service.urls))],
  [5, 'lose an answer', (_, { network }) => network.spoil('loseAnswers', 1)],
  [4, 'lose a request', (_, { network }) => network.spoil('loseRequests', 1)],
  [3, 'slow answers', (world, { network }) => network.delay('http', world.next() * 80)],
  [3, 'slow socket', (world, { network }) => network.delay('socket', world.next() * 80)],
  [3, 'down', (_, { network }) => network.down()],
  [6, 'heal', (_, { network }) => network.heal()],
  [5, 'wake', (_, device) => device.wake()],
  [2, 'clock jump', (world, device) => device.jumpBy((world.next() - 0.5) * 4 * 3_600_000)],
  [2, 'timers held back', (world, device) => device.holdBack(world.next() < 0.5 ? 60_000 : 0)],
  [2, 'crash', (world, device) => crash(device, world)],
  [10, 'time', (world) => sleep(world.next() * 60)],
]

async function crash(device: Device, world: World): Promise<void> {
  device.crash()
  await device.start(world)
}

async function changeOwn(world: World, person: Person, id: number, how: 'edit' | 'delete'): Promise<void> {
  const { body } = await person.get(`${CHAT}/conversations/${id}/messages?peek=true`, 200)
  const own = body.messages.filter((each) => each.is_own && !each.is_deleted)
  if (own.length === 0) return
  const path = `${CHAT}/messages/${pick(world, own as { id: number }[]).id}` as const
  if (how === 'edit') await person.patch(path, { message: `edited ${Math.floor(world.next() * 1e6)}` })
  else await person.delete(path)
}

/** The last conversation is the group, which the first person made. */
async function rename({ people, conversations, next }: World): Promise<void> {
  await people[0]?.patch(
    `${CHAT}/groups/${conversations.at(-1)}`,
    { name: `group ${Math.floor(next() * 1e6)}` },
    200,
  )
}

async function begin(seed: number): Promise<World> {
  const people = (await Promise.all([service.person(), service.person()])) as [Person, Person]
  const [alice, bob] = people
  const direct = await connect(alice, bob)
  const group = await alice.post(`${CHAT}/groups`, { name: 'group', member_ids: [bob.id] }, 201)
  const conversations = [direct, group.body.conv_id as number]
  const { examId, questionIds } = await createExam(service.sql, {
    questions: Array.from({ length: 5 }, () => ({})),
  })
  const devices = await Promise.all(
    [alice, alice, bob].map(async (person) => {
      const device = new Device(person, await Network.start(person.url))
      await device.start({ conversations, examId })
      return device
    }),
  )
  return { devices, people, conversations, examId, questionIds, next: random(seed) }
}

async function walk(world: World): Promise<void> {
  const sum = STEPS_BY_WEIGHT.reduce((total, [weight]) => total + weight, 0)
  for (let done = 0; done < STEPS; done++) {
    let at = world.next() * sum
    const found = STEPS_BY_WEIGHT.find(([weight]) => {
      at -= weight
      return at < 0
    })
    await found?.[2](world, pick(world, world.devices), pick(world, world.conversations))
  }
}

async function stored(person: Person, id: number) {
  const { body } = await person.get(`${CHAT}/conversations/${id}/messages?limit=100&peek=true`, 200)
  return body.messages as { id: number; seq: number; version: number; message: string }[]
}

/** Where a device shows something else than the service answers. */
async function differences(
  { chat, exam, person }: Device,
  { conversations, examId }: World,
): Promise<string[]> {
  const found: string[] = []
  const compare = (what: string, shown: unknown, truth: unknown) => {
    if (JSON.stringify(shown) !== JSON.stringify(truth))
      found.push(`${what}: shows ${JSON.stringify(shown)}, is ${JSON.stringify(truth)}`)
  }
  const { body } = await person.get(`${CHAT}/conversations`, 200)
  compare('conversations', chat.$conversations.get()?.map(brief), body.conversations.map(brief))
  compare('unread', chat.$unread.get(), (await person.get(`${CHAT}/unread`, 200)).body.unread)
  compare('outgoing', chat.$outgoing.get(), [])
  for (const id of conversations) {
    const truth = await stored(person, id)
    const shown = chat.room(id).$messages.get().slice(-truth.length)
    const line = ({ id: message, seq, version, message: text }: (typeof truth)[number] | RoomMessage) => [
      message,
      seq,
      version,
      text,
    ]
    compare(`messages of ${id}`, shown.map(line), truth.map(line))
  }
  const paper = await person.get(`/api/v01/exams/${examId}/paper`, 200)
  compare('unsynced answers', exam.$state.get().unsynced, 0)
  compare(
    'answers',
    Object.entries(exam.$state.get().answers).sort(),
    Object.entries(paper.body.answers).sort(),
  )
  return found
}

test.each(SEEDS)(
  'devices show what is stored, whatever happens on the way: seed %i',
  { timeout: 120_000 },
  async (seed) => {
    const world = await begin(seed)
    const { devices, people, conversations, examId, questionIds } = world
    try {
      await walk(world)
      for (const device of devices) {
        device.network.heal()
        device.holdBack(0)
      }
      for (const device of devices)
        await expect
          .poll(
            () => {
              // A device reads what another one answered when it wakes up.
              device.wake()
              return differences(device, world)
            },
            {
              timeout: 45_000,
              interval: 100,
              message: `seed ${seed}, ${device.person.username}`,
            },
          )
          .toEqual([])
      expect(
        devices.flatMap(({ violations }) => violations),
        `seed ${seed}`,
      ).toEqual([])

      // Each stored answer is the last one that was given on some device of that person.
      for (const person of people) {
        const { body } = await person.get(`/api/v01/exams/${examId}/paper`, 200)
        const own = devices.filter((device) => device.person === person)
        for (const id of questionIds) {
          const given = own.flatMap(({ answered }) => (answered.has(id) ? [answered.get(id)] : []))
          if (given.length > 0)
            expect(given, `seed ${seed}, ${person.username}, question ${id}`).toContain(
              body.answers[id] ?? null,
            )
        }
      }

      // Nothing is lost or stored twice, and each device's messages are in the order in which they were written.
      for (const { written, person } of devices)
        for (const [id, texts] of written) {
          const rows = await service.sql`
          select client_id, message, edited_at is null and deleted_at is null as as_written from messages
           where conversation_id = ${id} and sender_id = ${person.id} order by seq`
          const kept = rows.filter((row) => row.as_written).map((row) => row.message as string)
          const mine = texts.filter((text) => kept.includes(text))
          expect(
            kept.filter((text) => texts.includes(text)),
            `seed ${seed}`,
          ).toEqual(mine)
        }
      const [all] = await service.sql`
      select count(*)::int as n from messages where conversation_id = any(${conversations})`
      const written = devices.flatMap((device) => [...device.written.values()].flat())
      expect(all?.n, `seed ${seed}`).toBe(written.length)
    } catch (error) {
      for (const { client, person } of devices)
        console.log(person.username, client.live.$status.get(), client.diagnostics.entries().slice(-30))
      throw error
    } finally {
      for (const device of devices) {
        device.crash()
        device.network.close()
      }
    }
  },
)
