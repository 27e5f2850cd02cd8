import { type Static, Type } from 'typebox'
import { ExamMessage } from './attempts.schemas.ts'
import { Challenge } from './challenges.schemas.ts'
import {
  ChatMessage,
  ConnectionRequest,
  Conversation,
  MOST_REACTIONS,
  ReactionTotal,
  SendBody,
} from './chat.schemas.ts'
import { ClassNews } from './classes.schemas.ts'
import { Id, MAX_INT, Nullable, Timestamp, UserId } from './common.ts'
import { CommentEntry } from './discussions.schemas.ts'
import { JobProgress } from './generation.schemas.ts'
import { LiveStudent } from './live-room.schemas.ts'
import { Material } from './materials.schemas.ts'
import { Notice, UnreadNotices } from './notices.schemas.ts'

/**
 * Every frame of the WebSocket (docs/protocol/realtime.md), one schema each. What is in `ServerFrame` and
 * `CLIENT_FRAMES` is in `/asyncapi.json`, too, described by its `description`.
 */

const Counter = Type.Integer({ minimum: 0 })
const Seq = Type.Integer({ minimum: 0, maximum: MAX_INT })
/** Code points of a frame's `ref`. */
export const LONGEST_REF = 64
const Ref = Type.Optional(Type.String({ maxLength: LONGEST_REF, description: 'echoed in the ack or error' }))

// --- from the server

export const Ready = Type.Object(
  {
    type: Type.Literal('ready'),
    user_id: Id,
    session_id: Id,
    server_time: Timestamp,
    heartbeat_seconds: Type.Integer(),
    unread: Nullable({ ...Counter, description: 'null while help is locked' }),
    unread_all: Nullable({ ...Counter, description: 'null while help is locked' }),
    mentions: Nullable({ ...Counter, description: 'null while help is locked' }),
    requests: Nullable({ ...Counter, description: 'null while help is locked' }),
    unread_notices: Nullable({ ...Counter, description: 'null while help is locked' }),
  },
  { $id: 'Ready', description: 'The first frame, always.' },
)

export const Ack = Type.Object(
  { type: Type.Literal('ack'), ref: Ref },
  {
    $id: 'Ack',
    additionalProperties: true,
    description: 'The request with that `ref` is done (a `send`: committed), with its result.',
  },
)

export const ErrorFrame = Type.Object(
  {
    type: Type.Literal('error'),
    ref: Ref,
    code: Type.String(),
    message: Type.String(),
    retry_after: Type.Optional(Type.Integer({ description: 'seconds' })),
  },
  { $id: 'ErrorFrame', additionalProperties: true, description: 'The request failed; codes as in HTTP.' },
)

const aboutMessage = { conversation_id: Id, message: ChatMessage }
export const MessageCreated = Type.Object(
  { type: Type.Literal('message'), ...aboutMessage },
  { $id: 'MessageCreated', description: 'A new message; its sender has read up to it.' },
)
export const MessageEdited = Type.Object(
  { type: Type.Literal('message_edited'), ...aboutMessage },
  {
    $id: 'MessageEdited',
    description: 'The message as it is now; a client that was away when it was sent has not seen it before.',
  },
)
export const MessageDeleted = Type.Object(
  { type: Type.Literal('message_deleted'), ...aboutMessage },
  { $id: 'MessageDeleted', description: 'A tombstone stays, with empty text.' },
)

export const ReactionsFrame = Type.Object(
  {
    type: Type.Literal('reactions'),
    conversation_id: Id,
    message_id: Id,
    version: Seq,
    reactions: Type.Array(ReactionTotal, { maxItems: MOST_REACTIONS }),
    user_id: UserId,
    emoji: Type.String(),
    added: Type.Boolean(),
  },
  {
    $id: 'ReactionsFrame',
    description: "A message's reactions as they are now, and the change that made them so.",
  },
)

export const Read = Type.Object(
  { type: Type.Literal('read'), conversation_id: Id, user_id: UserId, up_to_seq: Seq },
  { $id: 'Read', description: "A member's read pointer moved: one's own on another device, or a peer's." },
)

export const Unread = Type.Object(
  {
    type: Type.Literal('unread'),
    unread: Counter,
    unread_all: Counter,
    requests: Counter,
    mentions: Counter,
    conversation_id: Type.Optional(Id),
    conversation_unread: Type.Optional(Counter),
  },
  {
    $id: 'Unread',
    description: "The reader's counters changed; with one conversation's own where only that one did.",
  },
)

export const PresenceFrame = Type.Object(
  { type: Type.Literal('presence'), user_id: Id, online: Type.Boolean() },
  {
    $id: 'PresenceFrame',
    description: 'Somebody with whom the reader has a connection or a conversation came or went.',
  },
)

export const TypingNotice = Type.Object(
  { type: Type.Literal('typing'), conversation_id: Id, user_id: Id },
  { $id: 'TypingNotice', description: 'Somebody is typing; lasts 5 s.' },
)

export const ConversationFrame = Type.Object(
  {
    type: Type.Literal('conversation'),
    conversation: Type.Union([Conversation, Type.Object({ id: Id })]),
    removed: Type.Optional(Type.Literal(true)),
  },
  {
    $id: 'ConversationFrame',
    description: 'A conversation appeared or changed; `removed` with its id alone when the reader left it.',
  },
)

export const AiJob = Type.Object(
  { type: Type.Literal('ai_job'), ...JobProgress.properties },
  { $id: 'AiJob', description: 'Progress of a generation job, to the administrators who subscribed to it.' },
)

export const CommentFrame = Type.Object(
  {
    type: Type.Literal('comment'),
    question_id: Id,
    action: Type.Enum(['created', 'edited', 'deleted', 'pinned', 'best_answer']),
    comment: Type.Object({
      ...CommentEntry.properties,
      replies: Type.Optional(
        Type.Array(CommentEntry, { maxItems: 0, description: 'only of a new comment: it has none yet' }),
      ),
    }),
  },
  { $id: 'CommentFrame', description: 'A comment changed, to subscribers of `question:<id>`.' },
)

export const ConnectionRequestFrame = Type.Object(
  { type: Type.Literal('connection_request'), request: ConnectionRequest },
  { $id: 'ConnectionRequestFrame', description: 'Somebody asks to connect.' },
)

export const ResultsReleased = Type.Object(
  { type: Type.Literal('results_released'), exam_id: Id, released: Type.Boolean() },
  { $id: 'ResultsReleased', description: 'To students who have an attempt of that exam.' },
)

export const AttemptTime = Type.Object(
  {
    type: Type.Literal('attempt_time'),
    exam_id: Id,
    attempt_id: Id,
    ends_at: Nullable({ ...Timestamp, description: 'null: it has no end' }),
  },
  { $id: 'AttemptTime', description: "One's own attempt under way ends at another time than before." },
)

export const ExamMessageFrame = Type.Object(
  { type: Type.Literal('exam_message'), exam_id: Id, ...ExamMessage.properties },
  {
    $id: 'ExamMessageFrame',
    description: 'A teacher tells everybody, or some, who are taking an exam something.',
  },
)

export const LiveFrame = Type.Object(
  {
    type: Type.Literal('live'),
    exam_id: Id,
    class_id: Type.Optional(Id),
    students: Type.Array({ ...LiveStudent, $id: undefined }),
  },
  {
    $id: 'LiveFrame',
    description:
      'How students stand with an exam, of whom something has changed, for those who subscribed to it: at most once a second.',
  },
)

export const HelpLocked = Type.Object(
  { type: Type.Literal('help_locked'), exam_id: Id },
  {
    $id: 'HelpLocked',
    description:
      'You are taking an exam that locks help: until it ends you cannot use tutor, practice, chat, discussions or classes, and their frames are held back.',
  },
)

export const HelpUnlocked = Type.Object(
  { type: Type.Literal('help_unlocked'), exam_id: Id },
  { $id: 'HelpUnlocked', description: 'That attempt is over. After the last of them comes `resync`.' },
)

export const ResultChanged = Type.Object(
  { type: Type.Literal('result_changed'), exam_id: Id, attempt_id: Id },
  { $id: 'ResultChanged', description: 'A correction has changed a result that one can see.' },
)

export const ChallengeResolved = Type.Object(
  { type: Type.Literal('challenge_resolved'), challenge: Challenge },
  { $id: 'ChallengeResolved', description: 'A challenge of one’s own was decided.' },
)

export const ConnectionAccepted = Type.Object(
  {
    type: Type.Literal('connection_accepted'),
    conn_id: Id,
    user: Type.Object({ id: Id, username: Type.String(), full_name: Type.String() }),
    conv_id: Id,
  },
  { $id: 'ConnectionAccepted', description: 'The other side accepted.' },
)

export const Resync = Type.Object(
  { type: Type.Literal('resync') },
  { $id: 'Resync', description: 'Events may have been missed or held back: send `resume`.' },
)

export const Gap = Type.Object(
  { type: Type.Literal('gap'), conversation_id: Id, version: Seq },
  {
    $id: 'Gap',
    description:
      'Instead of more than 500 changed messages: drop what is held of this conversation, list it afresh by HTTP, and go on from this version.',
  },
)

export const AuthExpiring = Type.Object(
  { type: Type.Literal('auth_expiring'), expires_in: Type.Integer({ description: 'seconds' }) },
  {
    $id: 'AuthExpiring',
    description: 'Send `auth` with a new token before then, or the socket is closed with 4001.',
  },
)

export const Pong = Type.Object(
  { type: Type.Literal('pong'), ref: Ref },
  { $id: 'Pong', description: 'Answers `ping`.' },
)

export const PracticeFrame = Type.Object(
  { type: Type.Literal('practice'), due: Seq, new: Seq },
  {
    $id: 'PracticeFrame',
    description:
      'One has practised or changed its settings: the cards that are due, and what today still brings.',
  },
)

export const ClassNewsFrame = Type.Object(
  {
    type: Type.Literal('class_news'),
    class_id: Id,
    news: Type.Union([ClassNews, Type.Object({ id: Id })]),
    deleted: Type.Boolean({ description: 'true: `news` has its id alone' }),
  },
  {
    $id: 'ClassNewsFrame',
    description: 'News of a class were published, changed or deleted, for members who subscribed to it.',
  },
)

export const NoticeFrame = Type.Object(
  {
    type: Type.Literal('notice'),
    notice: Nullable({ ...Notice, $id: undefined, description: 'null: only the number has changed' }),
    unread: UnreadNotices,
  },
  { $id: 'NoticeFrame', description: 'One is told something, or has read notices on some device.' },
)

export const MaterialFrame = Type.Object(
  {
    type: Type.Literal('material'),
    class_id: Id,
    material: Type.Union([Material, Type.Object({ id: Id })]),
    deleted: Type.Boolean({ description: 'true: `material` has its id alone' }),
  },
  {
    $id: 'MaterialFrame',
    description:
      'A material of a class was added, read, renamed or deleted, for members who subscribed to it.',
  },
)

export const ServerFrame = Type.Union([
  Ready,
  Ack,
  ErrorFrame,
  MessageCreated,
  MessageEdited,
  MessageDeleted,
  ReactionsFrame,
  Read,
  Unread,
  PresenceFrame,
  TypingNotice,
  ConversationFrame,
  ConnectionRequestFrame,
  ConnectionAccepted,
  AiJob,
  CommentFrame,
  ClassNewsFrame,
  NoticeFrame,
  MaterialFrame,
  ResultsReleased,
  AttemptTime,
  ExamMessageFrame,
  LiveFrame,
  HelpLocked,
  HelpUnlocked,
  ResultChanged,
  ChallengeResolved,
  PracticeFrame,
  Resync,
  Gap,
  AuthExpiring,
  Pong,
])
export type ServerFrame = Static<typeof ServerFrame>

// --- from the client

export const SendFrame = Type.Object(
  { type: Type.Literal('send'), ref: Ref, conversation_id: Id, ...SendBody.properties },
  {
    $id: 'SendFrame',
    description: 'Sends a message, by the rules and the rate limit of HTTP. Ack: `message`.',
  },
)

export const ReadFrame = Type.Object(
  { type: Type.Literal('read'), ref: Ref, conversation_id: Id, up_to_seq: Type.Optional(Seq) },
  { $id: 'ReadFrame', description: 'Moves the read pointer forward. Ack: `unread`.' },
)

export const TypingFrame = Type.Object(
  { type: Type.Literal('typing'), ref: Ref, conversation_id: Id },
  { $id: 'TypingFrame', description: 'Tells the other members that one is typing. No ack.' },
)

/** At most as many conversations as a frame holds. */
export const ResumeFrame = Type.Object(
  {
    type: Type.Literal('resume'),
    ref: Ref,
    conversations: Type.Record(Type.String({ pattern: '^[1-9]\\d{0,9}$' }), Seq, {
      additionalProperties: false,
      maxProperties: 5_000,
    }),
  },
  {
    $id: 'ResumeFrame',
    description:
      'Asks for every change since these versions, by conversation. The changes come in order, then the ack.',
  },
)

/** `ai_job:` topics are for admins. */
const Topic = Type.String({
  maxLength: 50,
  errorMessage: 'must be question:<id>, class:<id>, live:<exam>, live:<exam>:<class> or ai_job:<id>',
  pattern: '^((question|class|live):[1-9]\\d{0,9}|live:[1-9]\\d{0,9}:[1-9]\\d{0,9}|ai_job:[0-9a-f-]{36})$',
  examples: ['question:17'],
})
export const SubscribeFrame = Type.Object(
  { type: Type.Literal('subscribe'), ref: Ref, topic: Topic },
  { $id: 'SubscribeFrame', description: 'Asks for the frames of a topic. Ack: `topic`.' },
)
export const UnsubscribeFrame = Type.Object(
  { type: Type.Literal('unsubscribe'), ref: Ref, topic: Topic },
  { $id: 'UnsubscribeFrame', description: 'Ends a subscription. Ack: `topic`.' },
)

export const AuthFrame = Type.Object(
  { type: Type.Literal('auth'), ref: Ref, access_token: Type.String({ maxLength: 4_096 }) },
  { $id: 'AuthFrame', description: 'Goes on with a new token of the same account. Ack: `expires_in`.' },
)

export const PingFrame = Type.Object(
  { type: Type.Literal('ping'), ref: Ref },
  { $id: 'PingFrame', description: 'Answered by `pong`.' },
)

export const ActiveFrame = Type.Object(
  { type: Type.Literal('active'), ref: Ref },
  {
    $id: 'ActiveFrame',
    description:
      'Somebody is looking: send it every 20 s while that is so. It holds pushes back. Ack with a `ref` only.',
  },
)

export const PageFrame = Type.Object(
  { type: Type.Literal('page'), ref: Ref, exam_id: Id, away: Type.Boolean() },
  {
    $id: 'PageFrame',
    description:
      'Says whether the paper of one’s attempt is out of view, where the paper has `watch_page`. Ack with a `ref` only.',
  },
)

export const CLIENT_FRAMES = {
  send: SendFrame,
  read: ReadFrame,
  typing: TypingFrame,
  active: ActiveFrame,
  page: PageFrame,
  resume: ResumeFrame,
  subscribe: SubscribeFrame,
  unsubscribe: UnsubscribeFrame,
  auth: AuthFrame,
  ping: PingFrame,
} as const
export type ClientFrames = { [K in keyof typeof CLIENT_FRAMES]: Static<(typeof CLIENT_FRAMES)[K]> }
