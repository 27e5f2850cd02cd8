import { type Static, Type } from 'typebox'
import { GivenInstant, Id, MAX_INT, Name, Nullable, Text, Timestamp, UserId, Uuid } from './common.ts'

const Seq = Type.Integer({ minimum: 0, maximum: MAX_INT })
const Version = Type.Integer({ minimum: 0, maximum: MAX_INT })
const MessageText = Text(1, 4_000)

export const ChatMessage = Type.Object({
  id: Id,
  seq: Seq,
  version: Version,
  sender_id: UserId,
  sender_name: Type.String(),
  message: Type.String({ description: 'empty for a deleted message' }),
  created_at: Timestamp,
  is_own: Type.Boolean(),
  client_id: Nullable(Type.String({ description: "the sender's own, shown to nobody else" })),
  is_edited: Type.Boolean(),
  is_deleted: Type.Boolean(),
  reply_to_id: Nullable(Id),
  reply_to_text: Nullable(Type.String()),
  reply_to_name: Nullable(Type.String()),
})
export type ChatMessage = Static<typeof ChatMessage>

export const Conversation = Type.Object({
  id: Id,
  name: Type.String(),
  is_group: Type.Boolean(),
  unread: Seq,
  online: Type.Boolean(),
  last_message: Nullable(Type.Object({ message: Type.String(), created_at: Timestamp })),
  user_id: Nullable({ ...UserId, description: 'the other person of a direct conversation' }),
  conn_id: Nullable({ ...Id, description: 'the connection behind a direct conversation' }),
  member_count: Type.Integer(),
  last_seq: Seq,
  last_read_seq: Seq,
  version: Version,
  can_send: Type.Boolean({ description: 'false after a disconnect, and for somebody who was blocked' }),
})
export type Conversation = Static<typeof Conversation>

export const Member = Type.Object({
  id: UserId,
  username: Type.String(),
  full_name: Type.String(),
  online: Type.Boolean(),
  is_owner: Type.Boolean({ description: "a group's owner: its longest-standing member" }),
  last_read_seq: Seq,
})
export type Member = Static<typeof Member>

export const ConversationDetail = Type.Object({
  ...Conversation.properties,
  members: Type.Array(Member, { description: 'longest-standing first' }),
})
export type ConversationDetail = Static<typeof ConversationDetail>
export const ConversationAnswer = Type.Object({
  success: Type.Literal(true),
  conversation: ConversationDetail,
})

export const ConnectionRequest = Type.Object({
  conn_id: Id,
  from_id: Id,
  from_name: Type.String(),
  created_at: Timestamp,
})
export type ConnectionRequest = Static<typeof ConnectionRequest>

export const SendBody = Type.Object({
  message: MessageText,
  client_id: Type.Optional({
    ...Uuid,
    description: 'a UUID of the client; sent again it stores nothing and answers the first message',
  }),
  reply_to_id: Type.Optional(Nullable(Id)),
  reply_to_text: Type.Optional(
    // Far more than is kept, so that a long quotation is no reason to refuse a message.
    Nullable(Text(0, 20_000, { description: 'kept as given, cut to 100 code points' })),
  ),
  reply_to_name: Type.Optional(Nullable(Text(0, 200))),
})
export type SendBody = Static<typeof SendBody>

export const MessageAnswer = Type.Object({ success: Type.Literal(true), message: ChatMessage })

export const EditBody = Type.Object({ message: MessageText })

export const ConversationsAnswer = Type.Object({
  success: Type.Literal(true),
  conversations: Type.Array(Conversation),
})

export const MessagesQuery = Type.Object({
  before: Type.Optional(GivenInstant),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'default 50, cut to 100' })),
  peek: Type.Optional(Type.Boolean({ description: 'do not mark the newest page as read' })),
})
export type MessagesQuery = Static<typeof MessagesQuery>

export const MessagesAnswer = Type.Object({
  success: Type.Literal(true),
  messages: Type.Array(ChatMessage),
  has_more: Type.Boolean(),
})

export const ChangesQuery = Type.Object({ since: Version })

export const ChangesAnswer = Type.Object({
  success: Type.Literal(true),
  messages: Type.Array(ChatMessage),
  version: Version,
  has_more: Type.Boolean(),
})

export const ReadBody = Type.Object({ up_to_seq: Type.Optional(Seq) })
export const ReadAnswer = Type.Object({ success: Type.Literal(true), unread: Seq })

export const ConnectBody = Type.Object({ recipient_id: Id })
export const ConnectPending = Type.Object({
  success: Type.Literal(true),
  conn_id: Id,
  status: Type.Literal('pending'),
})
export const ConnectAccepted = Type.Object({
  success: Type.Literal(true),
  conn_id: Id,
  status: Type.Literal('accepted'),
  conv_id: Id,
})
export const RequestsAnswer = Type.Object({
  success: Type.Literal(true),
  requests: Type.Array(ConnectionRequest),
})
export const RespondParams = Type.Object({ conn_id: Id })
export const RespondBody = Type.Object({ action: Type.Enum(['accept', 'reject']) })
export const RespondAnswer = Type.Object({ success: Type.Literal(true), conv_id: Nullable(Id) })

export const Counters = Type.Object({
  unread: Type.Integer({ description: 'messages unread over all conversations' }),
  requests: Type.Integer({ description: 'pending incoming connection requests' }),
})
export type Counters = Static<typeof Counters>
export const UnreadAnswer = Type.Object({ success: Type.Literal(true), ...Counters.properties })

export const ChatUser = Type.Object({
  id: Id,
  username: Type.String(),
  full_name: Type.String(),
  online: Type.Boolean({ description: 'false unless they share a connection or conversation' }),
  connection_status: Nullable(Type.Enum(['pending', 'accepted', 'rejected'])),
  conn_id: Nullable(Id),
})
export type ChatUser = Static<typeof ChatUser>
export const UsersQuery = Type.Object({
  q: Text(1, 200, { description: 'part of a username or full name, in any case' }),
})
export const UsersAnswer = Type.Object({ success: Type.Literal(true), users: Type.Array(ChatUser) })

export const PresenceAnswer = Type.Object({
  success: Type.Literal(true),
  status: Type.Record(Type.String(), Type.Boolean(), { description: 'user id → online' }),
})

export const BlockParams = Type.Object({ user_id: Id })
export const BlocksAnswer = Type.Object({
  success: Type.Literal(true),
  users: Type.Array(Type.Object({ id: Id, username: Type.String(), full_name: Type.String() })),
})

/** People in a group, its owner included. */
export const GROUP_SIZE = 256
const GroupName = Name(1, 200)
const MemberIds = Type.Array(Id, { minItems: 1, maxItems: GROUP_SIZE, description: 'accepted connections' })
export const GroupBody = Type.Object({ name: GroupName, member_ids: MemberIds })
export const RenameBody = Type.Object({ name: GroupName })
export const MembersBody = Type.Object({ member_ids: MemberIds })
export const MemberParams = Type.Object({ id: Id, user_id: Id })
export const GroupAnswer = Type.Object({
  success: Type.Literal(true),
  conversation: ConversationDetail,
  conv_id: Id,
})
