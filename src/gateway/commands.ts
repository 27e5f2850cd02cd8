import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { CLIENT_FRAMES, type ClientFrames, LONGEST_REF } from '../../schemas/events.schemas.ts'
import type { ClientTopic, CommentEvent, FrameEvent } from '../bus/events.ts'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import { isLonger } from '../formats/code-points.ts'
import { isTooComplex } from '../formats/json-size.ts'
import { verifyLive } from '../http/callers.ts'
import { compileBody, type Validate } from '../http/validation.ts'
import type { Connection } from './connection.ts'
import type { Commands, Live } from './live-plugin.ts'
import type { TopicKind, TopicKinds } from './topics.ts'

type FrameType = keyof ClientFrames

/** The commands for all frames of clients: the gateway's own and the features'. */
export function collectCommands(app: FastifyInstance, core: Core, parts: readonly Live[]): Partial<Commands> {
  const kinds: Partial<TopicKinds> = Object.assign({}, ...parts.map(({ topics }) => topics))
  return Object.assign(ownCommands(app, core, kinds), ...parts.map(({ commands }) => commands))
}

function ownCommands(app: FastifyInstance, core: Core, kinds: Partial<TopicKinds>): Partial<Commands> {
  return {
    async subscribe(connection, frame) {
      const topic = frame.topic as ClientTopic
      const kind = kinds[topic.slice(0, topic.indexOf(':')) as keyof TopicKinds]
      if (!kind) throw new AppError('not_found')
      await kind.admit?.(topic, connection.claims)
      await connection.topics.add(topic, kind as TopicKind<CommentEvent | FrameEvent>)
      return { topic }
    },
    async unsubscribe(connection, { topic }) {
      connection.topics.remove(topic as ClientTopic)
      return { topic }
    },
    async auth(connection, { access_token }) {
      const claims = verifyLive(app, 'access', access_token, core)
      if (claims?.userId !== connection.claims.userId) throw new AppError('token_expired_or_invalid')
      connection.claims = claims
      return { expires_in: Math.floor(claims.expiresAt - core.clock() / 1_000) }
    },
    async active(_connection, { ref }) {
      return ref === undefined ? undefined : {}
    },
    async ping(connection, { ref }) {
      connection.send({ type: 'pong', ...(ref === undefined ? {} : { ref }) })
      return undefined
    },
  }
}

const validators = Object.fromEntries(
  Object.entries(CLIENT_FRAMES).map(([type, schema]) => [type, compileBody(schema as TSchema)]),
) as Record<FrameType, Validate>

/** Commands that take a person's turn. `resume` takes turns of its own, because it also waits for its client. */
const TAKE_TURNS: ReadonlySet<FrameType> = new Set(['send', 'read', 'typing', 'subscribe', 'page'])

/** Commands that a person causes: whoever sends one is there (docs/protocol/push.md#when). */
const CAUSED_BY_PEOPLE: ReadonlySet<FrameType> = new Set(['send', 'read', 'typing', 'active'])

/** A client's frame. Its `ref` is known even if the rest is wrong. */
export interface Command {
  ref: string | undefined
  type: FrameType
  /** True if it takes as long as the client takes to read. */
  isAtClientsPace: boolean
  /** True if it uses the database, like a request. */
  takesTurn: boolean
  /** True if a person has caused it, rather than their device. */
  isByPerson: boolean
  /** Answers the content of the `ack`; undefined if there is none. Throws an AppError. */
  run: (
    commands: Partial<Commands>,
    parts: readonly Live[],
    connection: Connection,
  ) => Promise<object | undefined>
}

/** Throws `invalid_frame` if it is no frame at all. */
export function readCommand(data: Buffer, isBinary: boolean): Command {
  const frame = isBinary ? undefined : parseObject(data)
  if (!frame || !isFrameType(frame.type)) throw new AppError('invalid_frame', { details: refOf(frame) })
  const { type } = frame
  const checked = validators[type](frame)
  return {
    ref: refOf(frame).ref,
    type,
    isAtClientsPace: type === 'resume',
    takesTurn: TAKE_TURNS.has(type),
    isByPerson: CAUSED_BY_PEOPLE.has(type),
    async run(commands, parts, connection) {
      const given = 'error' in checked ? undefined : (checked.value as ClientFrames[typeof type])
      for (const part of parts) await part.admit?.(connection, type, given)
      if ('error' in checked) throw checked.error
      return execute(commands, connection, type, checked.value as ClientFrames[typeof type])
    },
  }
}

function execute<T extends FrameType>(
  commands: Partial<Commands>,
  connection: Connection,
  type: T,
  frame: ClientFrames[T],
) {
  const command = commands[type]
  if (!command) throw new AppError('invalid_frame')
  return command(connection, frame)
}

function isFrameType(type: unknown): type is FrameType {
  return typeof type === 'string' && Object.hasOwn(CLIENT_FRAMES, type)
}

function parseObject(data: Buffer): Record<string, unknown> | undefined {
  try {
    const text = data.toString()
    if (isTooComplex(text)) return undefined
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function refOf(frame: Record<string, unknown> | undefined): { ref?: string } {
  const ref = frame?.ref
  return typeof ref === 'string' && !isLonger(ref, LONGEST_REF) ? { ref } : {}
}
