import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { SharedComment, SharedMessage, Topic, Topics } from '../../src/bus/events.ts'
import { createExam } from '../support/content/exams.ts'
import { hasRedis } from '../support/outside/redis.ts'
import { connectedPair, withService } from '../support/service.ts'

/** The event of a kind, whichever topic has it. */
type EventOf<Kind, Event = Topics[Topic]> = Event extends { kind: infer Own }
  ? Kind extends Own
    ? Event
    : never
  : never

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
  reactions: [],
  attachments: [],
  mentions: [],
}

const COMMENT: SharedComment = {
  id: 2_000_000_000,
  question_id: 1,
  parent_id: null,
  user_id: 1,
  username: 'Ada',
  message: 'from another version',
  is_edited: false,
  is_deleted: false,
  is_pinned: false,
  is_best_answer: false,
  created_at: '2026-01-01T00:00:00.000Z',
}

/**
 * Each kind of event as the version published it that had it first. Nothing here is ever changed, since such a node may
 * run beside this one: a field that is added later is optional in `events.ts`, or this doesn't compile; nor does it
 * without a new kind.
 */
const FIRST = {
  message: { kind: 'message', version: 1, message: MESSAGE },
  message_edited: { kind: 'message_edited', version: 1, message: MESSAGE },
  message_deleted: { kind: 'message_deleted', version: 1, message: MESSAGE },
  members: { kind: 'members', version: 1 },
  read: { kind: 'read', userId: 1, upToSeq: 1, hiddenFrom: [] },
  typing: { kind: 'typing', userId: 1, hiddenFrom: [] },
  reactions: {
    ...{ kind: 'reactions', version: 1, messageId: 1, reactions: [] },
    ...{ userId: 1, emoji: '👍', added: true },
  },
  frame: { kind: 'frame', frame: { type: 'resync' } },
  usage: { kind: 'usage' },
  conversation: { kind: 'conversation', conversationId: 1 },
  counters: { kind: 'counters' },
  practice: { kind: 'practice' },
  comment: { kind: 'comment', action: 'created', comment: COMMENT },
  presence: { kind: 'presence', userId: 1, online: true, audience: [] },
  revoked: { kind: 'revoked' },
  results_released: { kind: 'results_released', examId: 1, released: true },
  attempt_times: { kind: 'attempt_times', examId: 1, times: [] },
  exam_message: {
    kind: 'exam_message',
    examId: 1,
    text: 'Hello',
    at: '2026-11-20T10:00:00.000Z',
    userIds: [],
  },
  watched: { kind: 'watched', examId: 1 },
  attempts: { kind: 'attempts', userIds: [] },
  results_changed: { kind: 'results_changed', examId: 1, results: [] },
  help: { kind: 'help' },
  notices: { kind: 'notices', written: [] },
} satisfies { [Kind in Topics[Topic]['kind']]: EventOf<Kind> }

describe.runIf(hasRedis())('beside a node of another version', () => {
  /** A service that logs, and a way to publish as another node would. */
  async function start() {
    const warnings: string[] = []
    const write = (line: string) => {
      // A busy machine may keep Redis's answer away for a second.
      if (!line.includes('Redis is away')) warnings.push(JSON.parse(line).msg)
    }
    const log = pino({ level: 'warn' }, { write })
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
      ...{ service, alice, bob, conversationId, socket, warnings },
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

  test('an event of a topic that can’t be shown costs a resync, and nothing that comes after it', async () => {
    const { service, socket, tell } = await start()
    const [questionId] = (await createExam(service.sql)).questionIds
    const topic = `question:${questionId}`
    await socket.ask({ type: 'subscribe', topic })
    await tell(topic, { kind: 'comment', action: 'created' })
    await socket.waitFor(({ type }) => type === 'resync')
    await tell(topic, FIRST.comment)
    await socket.waitFor(({ type }) => type === 'comment')
  })

  test('events as the first version wrote them, and with more than this one knows, are understood', async () => {
    const { service, alice, bob, conversationId, socket, warnings, tell } = await start()
    const conversation = `conversation:${conversationId}`
    const [questionId] = (await createExam(service.sql)).questionIds
    await socket.ask({ type: 'subscribe', topic: `question:${questionId}` })
    await tell(`question:${questionId}`, { ...FIRST.comment, later: 1 })
    await socket.waitFor(({ type }) => type === 'comment')
    await tell(`user:${alice.id}`, { ...FIRST.frame, later: 1 })
    await socket.waitFor(({ type }) => type === 'resync')
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
      [`user:${alice.id}`, { ...FIRST.conversation, conversationId }],
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
    for (const [n, event] of [FIRST.message_edited, FIRST.message_deleted].entries())
      await tell(conversation, {
        ...event,
        version: version + 2 + n,
        message: { ...message, version: version + 2 + n },
      })
    await socket.waitFor(({ type }) => type === 'message_edited')
    await socket.waitFor(({ type }) => type === 'message_deleted')
    expect(warnings).toEqual([])
  })
})
