import { type Static, Type } from 'typebox'
import { ChatMessage, ConnectionRequest, Conversation, SendBody } from './chat.ts'
import { Id, MAX_INT, Timestamp, UserId } from './common.ts'
import { JobProgress } from './generation.ts'

/** Every frame of the WebSocket (contract/realtime.md), one schema each. */

const Counter = Type.Integer({ minimum: 0 })
const Seq = Type.Integer({ minimum: 0, maximum: MAX_INT })
const Ref = Type.Optional(Type.String({ maxLength: 64, description: 'echoed in the ack or error' }))

// --- from the server

export const Ready = Type.Object({
  type: Type.Literal('ready'),
  user_id: Id,
  session_id: Id,
  server_time: Timestamp,
  heartbeat_seconds: Type.Integer(),
  unread: Counter,
  requests: Counter,
})

/** Carries the result of the request beside `ref`. */
export const Ack = Type.Object({ type: Type.Literal('ack'), ref: Ref }, { additionalProperties: true })

export const ErrorFrame = Type.Object(
  {
    type: Type.Literal('error'),
    ref: Ref,
    code: Type.String(),
    message: Type.String(),
    retry_after: Type.Optional(Type.Integer({ description: 'seconds' })),
  },
  { additionalProperties: true },
)

const aboutMessage = { conversation_id: Id, message: ChatMessage }
export const MessageCreated = Type.Object({ type: Type.Literal('message'), ...aboutMessage })
export const MessageEdited = Type.Object({ type: Type.Literal('message_edited'), ...aboutMessage })
export const MessageDeleted = Type.Object({ type: Type.Literal('message_deleted'), ...aboutMessage })

export const Read = Type.Object({
  type: Type.Literal('read'),
  conversation_id: Id,
  user_id: UserId,
  up_to_seq: Seq,
})

export const Unread = Type.Object({
  type: Type.Literal('unread'),
  unread: Counter,
  requests: Counter,
  conversation_id: Type.Optional(Id),
  conversation_unread: Type.Optional(Counter),
})

/** A conversation appeared or changed; `removed` when the reader left it. */
export const ConversationFrame = Type.Object({
  type: Type.Literal('conversation'),
  conversation: Type.Union([Conversation, Type.Object({ id: Id })]),
  removed: Type.Optional(Type.Literal(true)),
})

export const ConnectionRequestFrame = Type.Object({
  type: Type.Literal('connection_request'),
  request: ConnectionRequest,
})

export const ConnectionAccepted = Type.Object({
  type: Type.Literal('connection_accepted'),
  conn_id: Id,
  user: Type.Object({ id: Id, username: Type.String(), full_name: Type.String() }),
  conv_id: Id,
})

/** Progress of a generation job, to the administrators who subscribed to it. */
export const AiJob = Type.Object({ type: Type.Literal('ai_job'), ...JobProgress.properties })

/** To students who have an attempt of that exam. */
export const ResultsReleased = Type.Object({
  type: Type.Literal('results_released'),
  exam_id: Id,
  released: Type.Boolean(),
})

export const Resync = Type.Object({ type: Type.Literal('resync') })

export const Gap = Type.Object({ type: Type.Literal('gap'), conversation_id: Id, version: Seq })

export const Pong = Type.Object({ type: Type.Literal('pong'), ref: Ref })

export const ServerFrame = Type.Union([
  Ready,
  Ack,
  ErrorFrame,
  MessageCreated,
  MessageEdited,
  MessageDeleted,
  Read,
  Unread,
  ConversationFrame,
  ConnectionRequestFrame,
  ConnectionAccepted,
  AiJob,
  ResultsReleased,
  Resync,
  Gap,
  Pong,
])
export type ServerFrame = Static<typeof ServerFrame>

// --- from the client

export const SendFrame = Type.Object({
  type: Type.Literal('send'),
  ref: Ref,
  conversation_id: Id,
  ...SendBody.properties,
})

export const ReadFrame = Type.Object({
  type: Type.Literal('read'),
  ref: Ref,
  conversation_id: Id,
  up_to_seq: Type.Optional(Seq),
})

/** Conversations and the last version of each that the client has; at most as many as a frame holds. */
export const ResumeFrame = Type.Object({
  type: Type.Literal('resume'),
  ref: Ref,
  conversations: Type.Record(Type.String({ pattern: '^[1-9]\\d{0,9}$' }), Seq, { maxProperties: 5_000 }),
})

/** `ai_job:` topics are for admins. */
const Topic = Type.String({
  pattern: '^(question:[1-9]\\d{0,9}|ai_job:[0-9a-f-]{36})$',
  examples: ['question:17'],
})
export const SubscribeFrame = Type.Object({ type: Type.Literal('subscribe'), ref: Ref, topic: Topic })
export const UnsubscribeFrame = Type.Object({ type: Type.Literal('unsubscribe'), ref: Ref, topic: Topic })

export const PingFrame = Type.Object({ type: Type.Literal('ping'), ref: Ref })

export const CLIENT_FRAMES = {
  send: SendFrame,
  read: ReadFrame,
  resume: ResumeFrame,
  subscribe: SubscribeFrame,
  unsubscribe: UnsubscribeFrame,
  ping: PingFrame,
} as const
export type ClientFrames = { [K in keyof typeof CLIENT_FRAMES]: Static<(typeof CLIENT_FRAMES)[K]> }
