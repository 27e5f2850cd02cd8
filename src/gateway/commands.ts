import type { TSchema } from 'typebox'
import { CLIENT_FRAMES, type ClientFrames } from '../../schemas/events.ts'
import type { ClientTopic } from '../bus/events.ts'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import type { LiveSessions } from '../features/auth/live-sessions.ts'
import * as chat from '../features/chat/service.ts'
import { isAdmin } from '../http/callers.ts'
import { compileBody, type Validate } from '../http/validation.ts'
import type { Connection } from './connection.ts'
import { resume } from './resume.ts'

type FrameType = keyof ClientFrames

/** What frames of clients are carried out with. */
export interface Means {
  core: Core
  sessions: LiveSessions
}

/** What each frame of a client does: the same services as over HTTP; the result goes into its `ack`. */
const COMMANDS: {
  [T in FrameType]: (
    means: Means,
    connection: Connection,
    frame: ClientFrames[T],
  ) => Promise<object | undefined>
} = {
  async send({ core }, connection, { conversation_id, ...input }) {
    const { message } = await chat.sendMessage(core, connection.claims.userId, conversation_id, input)
    return { message }
  },
  async read({ core }, connection, { conversation_id, up_to_seq }) {
    return { unread: await chat.markRead(core, connection.claims.userId, conversation_id, up_to_seq) }
  },
  async typing({ core }, connection, { conversation_id }) {
    await chat.tellTyping(core, connection.claims.userId, conversation_id)
    return undefined
  },
  async resume({ core }, connection, { conversations }) {
    const known = Object.entries(conversations).map(([id, version]) => [Number(id), version] as const)
    await resume(core, connection, new Map(known))
    return {}
  },
  async subscribe(_means, connection, { topic }) {
    if (topic.startsWith('ai_job:') && !isAdmin(connection.claims)) throw new AppError('admin_required')
    await connection.topics.add(topic as ClientTopic)
    return { topic }
  },
  async unsubscribe(_means, connection, { topic }) {
    connection.topics.remove(topic as ClientTopic)
    return { topic }
  },
  async auth({ core, sessions }, connection, { access_token }) {
    const claims = sessions.verify('access', access_token)
    if (claims?.userId !== connection.claims.userId) throw new AppError('token_expired_or_invalid')
    connection.claims = claims
    return { expires_in: Math.floor(claims.expiresAt - core.clock() / 1_000) }
  },
  async ping(_means, connection, { ref }) {
    connection.send({ type: 'pong', ...(ref === undefined ? {} : { ref }) })
    return undefined
  },
}

const validators = Object.fromEntries(
  Object.entries(CLIENT_FRAMES).map(([type, schema]) => [type, compileBody(schema as TSchema)]),
) as Record<FrameType, Validate>

/** A client's frame that was read: its `ref`, if it has one, is known even where the rest is wrong. */
export interface Command {
  ref: string | undefined
  /** True for what takes as long as the peer takes to read. */
  isAtPeersPace: boolean
  /** Answers what its `ack` carries; undefined where it is not acknowledged. Throws an AppError. */
  run: (means: Means, connection: Connection) => Promise<object | undefined>
}

/** Throws `invalid_frame` for what is no frame at all. */
export function readCommand(data: Buffer, isBinary: boolean): Command {
  const frame = isBinary ? undefined : parseObject(data)
  if (!frame || !isFrameType(frame.type)) throw new AppError('invalid_frame', { details: refOf(frame) })
  const { type } = frame
  const checked = validators[type](frame)
  return {
    ref: refOf(frame).ref,
    isAtPeersPace: type === 'resume',
    async run(means, connection) {
      if ('error' in checked) throw checked.error
      return execute(means, connection, type, checked.value as ClientFrames[typeof type])
    },
  }
}

function execute<T extends FrameType>(means: Means, connection: Connection, type: T, frame: ClientFrames[T]) {
  return COMMANDS[type](means, connection, frame)
}

function isFrameType(type: unknown): type is FrameType {
  return typeof type === 'string' && Object.hasOwn(CLIENT_FRAMES, type)
}

function parseObject(data: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data.toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function refOf(frame: Record<string, unknown> | undefined): { ref?: string } {
  return typeof frame?.ref === 'string' && frame.ref.length <= 64 ? { ref: frame.ref } : {}
}
