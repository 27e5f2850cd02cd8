import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { MessageChange, SharedMessage, Topic, Topics } from '../../src/bus/events.ts'
import { hasRedis } from '../support/outside/redis.ts'
import { connectedPair, withService } from '../support/service.ts'

type EventOf<T extends Topic, Kind extends string> = Extract<Topics[T], { kind: Kind }>

const MESSAGE: SharedMessage = {
  id: 2_000_000_000,
  seq: 1,
  version: 1,
  sender_id: 1,
  sender_name: 'Ada',
  message: 'from another version',
  created_at: '2026-01-01T00:00:00.000Z',
  client_id: null,
  is_edited: false,
  is_deleted: false,
  reply_to_id: null,
  reply_to_text: null,
  reply_to_name: null,
}

/**
 * Each kind of event as the version published it that had it first. Nothing here is ever changed, since such a node may
 * run beside this one: a field that is added later is optional in `events.ts`, or this doesn't compile.
 */
const FIRST = {
  message: { kind: 'message', version: 1, message: MESSAGE } satisfies MessageChange,
  members: { kind: 'members', version: 1 } satisfies EventOf<`conversation:${number}`, 'members'>,
  read: { kind: 'read', userId: 1, upToSeq: 1, hiddenFrom: [] } satisfies EventOf<
    `conversation:${number}`,
    'read'
  >,
  typing: { kind: 'typing', userId: 1, hiddenFrom: [] } satisfies EventOf<`conversation:${number}`, 'typing'>,
  reactions: {
    kind: 'reactions',
    version: 1,
    messageId: 1,
    reactions: [],
    userId: 1,
    emoji: '👍',
    added: true,
  } satisfies EventOf<`conversation:${number}`, 'reactions'>,
  conversation: { kind: 'conversation', conversationId: 1 } satisfies EventOf<
    `user:${number}`,
    'conversation'
  >,
  counters: { kind: 'counters' } satisfies EventOf<`user:${number}`, 'counters'>,
  practice: { kind: 'practice' } satisfies EventOf<`user:${number}`, 'practice'>,
  presence: { kind: 'presence', userId: 1, online: true, audience: [] } satisfies EventOf<
    'presence',
    'presence'
  >,
  revoked: { kind: 'revoked' } satisfies EventOf<'revocations', 'revoked'>,
  results_released: { kind: 'results_released', examId: 1, released: true } satisfies EventOf<
    'exams',
    'results_released'
  >,
  attempt_times: { kind: 'attempt_times', examId: 1, times: [] } satisfies EventOf<'exams', 'attempt_times'>,
  results_changed: { kind: 'results_changed', examId: 1, results: [] } satisfies EventOf<
    'exams',
    'results_changed'
  >,
  help: { kind: 'help' } satisfies EventOf<'help', 'help'>,
}

describe.runIf(hasRedis())('beside a node of another version', () => {
  /** A service that logs, and a way to publish as another node would. */
  async function start() {
    const warnings: unknown[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) })
    const service = await withService({ nodes: 2, log })
    const { alice, bob, conversationId } = await connectedPair(service)
    const socket = await alice.socket()
    await socket.ask({ type: 'resume', versions: {} })
    const redis = new Redis(inject('redisUrl') ?? '')
    onTestFinished(() => redis.disconnect())
    const own = `user:${alice.id}`
    const channels = (await redis.pubsub('CHANNELS', `*:${own}`)) as string[]
    // Services of other tests are on this Redis too: this one's person has just connected.
    const prefixes = channels.map((channel) => channel.slice(0, -own.length))
    return {
      ...{ alice, bob, conversationId, socket, warnings },
      tell: (topic: string, event: object) =>
        Promise.all(
          prefixes.map((prefix) => redis.publish(`${prefix}${topic}`, randomUUID() + JSON.stringify(event))),
        ),
    }
  }

  test('kinds that this version doesn’t know are ignored, and what they changed is read from the database', async () => {
    const { alice, bob, conversationId, socket, warnings, tell } = await start()
    const topics = [
      `conversation:${conversationId}`,
      `user:${alice.id}`,
      'presence',
      'revocations',
      'exams',
      'help',
    ]
    for (const topic of topics) {
      await tell(topic, { kind: 'later', version: 1_000_000, anything: { at: 'all' } })
      await tell(topic, { kind: 'constructor' })
    }
    const sent = await bob.send(conversationId, 'still here', undefined, 201)
    const frame = await socket.waitFor(({ type }) => type === 'message')
    expect(frame).toMatchObject({ message: { id: sent.body.message.id } })
    await bob.send(conversationId, 'and again', undefined, 201)
    await socket.until(() => socket.of('message').length === 2)
    expect(warnings).toEqual([])
  })

  test('events as the first version wrote them, and with more than this one knows, are understood', async () => {
    const { alice, bob, conversationId, socket, warnings, tell } = await start()
    const conversation = `conversation:${conversationId}`
    await tell(conversation, { ...FIRST.typing, userId: bob.id, later: 1 })
    await socket.waitFor(({ type }) => type === 'typing')
    await tell(conversation, { ...FIRST.read, userId: bob.id, later: { more: [] } })
    await socket.waitFor(({ type }) => type === 'read')
    await tell('presence', { ...FIRST.presence, userId: bob.id, audience: [alice.id], later: null })
    await socket.waitFor(({ type }) => type === 'presence')
    await tell('exams', {
      ...FIRST.attempt_times,
      times: [{ userId: alice.id, attemptId: 1, endsAt: null, later: 1 }],
    })
    await socket.waitFor(({ type }) => type === 'attempt_time')
    await tell(`user:${alice.id}`, { ...FIRST.practice, later: true })
    await socket.waitFor(({ type }) => type === 'practice')
    for (const [topic, event] of [
      [`user:${alice.id}`, FIRST.counters],
      ['exams', FIRST.results_released],
      ['exams', FIRST.results_changed],
      ['revocations', FIRST.revoked],
      ['help', FIRST.help],
    ] as const)
      await tell(topic, { ...event, later: true })
    await bob.send(conversationId, 'still here', undefined, 201)
    await socket.until(() => socket.of('message').length === 1)
    const version = socket.of('message')[0]?.message.version ?? 0
    for (const event of [FIRST.members, FIRST.reactions]) await tell(conversation, { ...event, version })
    const message = { ...MESSAGE, sender_id: bob.id, version: version + 1 }
    await tell(conversation, { ...FIRST.message, version: version + 1, message, later: true })
    await socket.until(() => socket.of('message').length === 2)
    expect(warnings).toEqual([])
  })
})
