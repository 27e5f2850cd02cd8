import { type Static, Type } from 'typebox'
import { GivenInstant, Id, MAX_INT, Name, Nullable, Text, Timestamp, UserId, Uuid } from './common.ts'

const Seq = Type.Integer({ minimum: 0, maximum: MAX_INT })
const Version = Type.Integer({ minimum: 0, maximum: MAX_INT })
const MessageText = Text(0, 4_000, { description: 'empty only with attachments' })

/** Files of one message. */
const MOST_ATTACHMENTS = 10
/** People whom one message may mention. */
const MOST_MENTIONS = 50

export const Attachment = Type.Object(
  {
    id: Id,
    name: Type.String(),
    type: Type.String({ description: 'what the bytes say, whatever the name' }),
    size: Type.Integer({ description: 'bytes' }),
    width: Nullable(Type.Integer({ description: 'of images with a preview, as they are shown' })),
    height: Nullable(Type.Integer()),
    url: Type.String({ description: 'signed and time-limited' }),
    thumbnail_url: Nullable(Type.String({ description: 'the same of a preview' })),
  },
  { $id: 'Attachment' },
)
export type Attachment = Static<typeof Attachment>
export const AttachmentForm = Type.Object(
  { file: Type.String({ format: 'binary', description: '1 byte to 25 MiB' }) },
  { $id: 'AttachmentForm' },
)
export const AttachmentAnswer = Type.Object(
  { success: Type.Literal(true), attachment: Attachment },
  { $id: 'AttachmentAnswer' },
)
const Mentions = Type.Array(Id, {
  maxItems: MOST_MENTIONS,
  description: 'ids of members; others are dropped',
})

/** Different emoji on one message. */
export const MOST_REACTIONS = 20
/** People who are named with an emoji. */
export const NAMED_REACTORS = 20

/** An emoji on a message as everybody sees it. */
export const ReactionTotal = Type.Object(
  {
    emoji: Type.String(),
    count: Type.Integer({ minimum: 1 }),
    user_ids: Type.Array(UserId, {
      maxItems: NAMED_REACTORS,
      description: 'the first of them, in the order of reacting',
    }),
  },
  { $id: 'ReactionTotal' },
)
export type ReactionTotal = Static<typeof ReactionTotal>
export const Reaction = Type.Object(
  { ...ReactionTotal.properties, mine: Type.Boolean() },
  { $id: 'Reaction' },
)
export type Reaction = Static<typeof Reaction>

export const ChatMessage = Type.Object(
  {
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
    reactions: Type.Array(Reaction, {
      maxItems: MOST_REACTIONS,
      description: 'in the order of their first use',
    }),
    attachments: Type.Array(Attachment, { maxItems: MOST_ATTACHMENTS }),
    mentions: Type.Array(UserId, { maxItems: MOST_MENTIONS }),
  },
  { $id: 'Message' },
)
export type ChatMessage = Static<typeof ChatMessage>

export const Settings = Type.Object(
  {
    muted_until: Nullable({ ...Timestamp, description: 'null: not muted' }),
    archived: Type.Boolean(),
    pinned: Type.Boolean(),
  },
  { $id: 'ConversationSettings', description: "the reader's own" },
)
export type Settings = Static<typeof Settings>
/** Conversations that one person may pin. */
export const MOST_PINNED = 10

const LastMessage = Type.Object(
  {
    message: Type.String(),
    created_at: Timestamp,
    attachments: Type.Integer({ description: 'how many files it has' }),
  },
  { $id: 'LastMessage' },
)
export const Conversation = Type.Object(
  {
    id: Id,
    name: Type.String(),
    is_group: Type.Boolean(),
    unread: Seq,
    online: Type.Boolean(),
    last_message: Nullable(LastMessage),
    user_id: Nullable({ ...UserId, description: 'the other person of a direct conversation' }),
    conn_id: Nullable({ ...Id, description: 'the connection behind a direct conversation' }),
    member_count: Type.Integer(),
    last_seq: Seq,
    last_read_seq: Seq,
    version: Version,
    can_send: Type.Boolean({
      description: 'false when the connection has ended, and for both while one has blocked the other',
    }),
    settings: Settings,
    unread_mentions: Type.Integer({
      description: 'messages that mention the reader, above the read pointer',
    }),
  },
  { $id: 'Conversation' },
)
export type Conversation = Static<typeof Conversation>

export const Member = Type.Object(
  {
    id: UserId,
    username: Type.String(),
    full_name: Type.String(),
    online: Type.Boolean(),
    is_owner: Type.Boolean({ description: "a group's owner: its longest-standing member" }),
    last_read_seq: Seq,
  },
  { $id: 'Member' },
)
export type Member = Static<typeof Member>

export const ConversationDetail = Type.Object(
  {
    ...Conversation.properties,
    members: Type.Array(Member, { description: 'longest-standing first' }),
  },
  { $id: 'ConversationDetail' },
)
export type ConversationDetail = Static<typeof ConversationDetail>
export const ConversationAnswer = Type.Object(
  {
    success: Type.Literal(true),
    conversation: ConversationDetail,
  },
  { $id: 'ConversationAnswer' },
)

export const ConnectionRequest = Type.Object(
  {
    conn_id: Id,
    from_id: Id,
    from_name: Type.String(),
    created_at: Timestamp,
  },
  { $id: 'ConnectionRequest' },
)
export type ConnectionRequest = Static<typeof ConnectionRequest>

export const SendBody = Type.Object(
  {
    message: Type.Optional({ ...MessageText, description: 'empty, or left out, only with attachments' }),
    client_id: Type.Optional({
      ...Uuid,
      description:
        'a UUID that the client makes; a repetition stores nothing, and the answer is the first message',
    }),
    reply_to_id: Type.Optional(Nullable(Id)),
    reply_to_text: Type.Optional(
      // Far more than is kept, so that a long quotation is no reason to refuse a message.
      Nullable(
        Text(0, 20_000, { description: 'ignored, as is the name: both are read from the quoted message' }),
      ),
    ),
    reply_to_name: Type.Optional(Nullable(Text(0, 200))),
    attachment_ids: Type.Optional(
      Type.Array(Id, { maxItems: MOST_ATTACHMENTS, description: "one's own files that are not sent yet" }),
    ),
    mentions: Type.Optional(Mentions),
  },
  { $id: 'NewMessage' },
)
export type SendBody = Static<typeof SendBody>

export const MessageAnswer = Type.Object(
  { success: Type.Literal(true), message: ChatMessage },
  { $id: 'MessageAnswer' },
)

export const EditBody = Type.Object(
  {
    message: MessageText,
    mentions: Type.Optional({ ...Mentions, description: 'left out: as they are' }),
  },
  { $id: 'MessageEdit' },
)
export type EditBody = Static<typeof EditBody>

export const ConversationsQuery = Type.Object({
  archived: Type.Optional(Type.Boolean({ description: 'the archived ones rather than the others' })),
})
export type ConversationsQuery = Static<typeof ConversationsQuery>

export const SettingsBody = Type.Object(
  {
    muted_until: Type.Optional(Nullable(GivenInstant)),
    archived: Type.Optional(Type.Boolean()),
    pinned: Type.Optional(Type.Boolean()),
  },
  { $id: 'SettingsBody' },
)
export type SettingsBody = Static<typeof SettingsBody>
export const SettingsAnswer = Type.Object(
  { success: Type.Literal(true), settings: Settings },
  { $id: 'SettingsAnswer' },
)

export const ConversationsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    conversations: Type.Array(Conversation),
  },
  { $id: 'ConversationsAnswer' },
)

export const ReactionParams = Type.Object({
  id: Id,
  message_id: Id,
  emoji: Type.String({ description: 'one emoji that Unicode recommends for interchange (RGI)' }),
})
export const ReactionsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    reactions: Type.Array(Reaction, { maxItems: MOST_REACTIONS }),
    version: { ...Version, description: "the message's" },
  },
  { $id: 'ReactionsAnswer' },
)

export const MessagesQuery = Type.Object({
  before: Type.Optional(GivenInstant),
  around: Type.Optional({ ...Id, description: 'the page with this message in its middle' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'default 50, cut to 100' })),
  peek: Type.Optional(Type.Boolean({ description: 'do not mark the newest page as read' })),
})
export type MessagesQuery = Static<typeof MessagesQuery>

export const MessagesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    messages: Type.Array(ChatMessage),
    has_more: Type.Boolean(),
    has_newer: Type.Optional(Type.Boolean({ description: 'with `around`: whether newer ones follow' })),
  },
  { $id: 'MessagesAnswer' },
)

export const SearchQuery = Type.Object({
  q: Text(1, 200),
  conversation_id: Type.Optional(Id),
  from_user_id: Type.Optional(Id),
  before: Type.Optional({ ...Id, description: 'only messages with a lower id' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'default 20, cut to 50' })),
})
export type SearchQuery = Static<typeof SearchQuery>
export const FoundMessage = Type.Object(
  {
    ...ChatMessage.properties,
    conversation_id: Id,
    conversation_name: Type.String(),
    matches: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
      description: 'where the words are in the text: start and length in code points, the first 100',
    }),
  },
  { $id: 'FoundMessage' },
)
export type FoundMessage = Static<typeof FoundMessage>
export const SearchAnswer = Type.Object(
  { success: Type.Literal(true), messages: Type.Array(FoundMessage), has_more: Type.Boolean() },
  { $id: 'SearchAnswer' },
)

export const ChangesQuery = Type.Object({ since: Version })

export const ChangesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    messages: Type.Array(ChatMessage),
    version: Version,
    has_more: Type.Boolean(),
  },
  { $id: 'ChangesAnswer' },
)

export const ReadBody = Type.Object({ up_to_seq: Type.Optional(Seq) }, { $id: 'ReadBody' })
export const ReadAnswer = Type.Object({ success: Type.Literal(true), unread: Seq }, { $id: 'ReadAnswer' })

export const ConnectBody = Type.Object({ recipient_id: Id }, { $id: 'ConnectBody' })
export const ConnectPending = Type.Object(
  {
    success: Type.Literal(true),
    conn_id: Id,
    status: Type.Literal('pending'),
  },
  { $id: 'ConnectPending' },
)
export const ConnectAccepted = Type.Object(
  {
    success: Type.Literal(true),
    conn_id: Id,
    status: Type.Literal('accepted'),
    conv_id: Id,
  },
  { $id: 'ConnectAccepted' },
)
export const RequestsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    requests: Type.Array(ConnectionRequest),
  },
  { $id: 'RequestsAnswer' },
)
export const RespondParams = Type.Object({ conn_id: Id })
export const RespondBody = Type.Object({ action: Type.Enum(['accept', 'reject']) }, { $id: 'RespondBody' })
export const RespondAnswer = Type.Object(
  { success: Type.Literal(true), conv_id: Nullable(Id) },
  { $id: 'RespondAnswer' },
)

export const Counters = Type.Object({
  unread: Type.Integer({
    description: 'messages unread in conversations that are neither muted nor archived',
  }),
  unread_all: Type.Integer({ description: 'messages unread over all conversations' }),
  requests: Type.Integer({ description: 'pending incoming connection requests' }),
  mentions: Type.Integer({ description: 'unread messages that mention the reader, in all conversations' }),
})
export type Counters = Static<typeof Counters>
export const UnreadAnswer = Type.Object(
  { success: Type.Literal(true), ...Counters.properties },
  { $id: 'UnreadAnswer' },
)

export const ChatUser = Type.Object(
  {
    id: Id,
    username: Type.String(),
    full_name: Type.String(),
    online: Type.Boolean({ description: 'false unless they share a connection or conversation' }),
    connection_status: Nullable(Type.Enum(['pending', 'accepted', 'rejected'])),
    conn_id: Nullable(Id),
  },
  { $id: 'ChatUser' },
)
export type ChatUser = Static<typeof ChatUser>
export const UsersQuery = Type.Object({
  q: Text(1, 200, { description: 'part of a username or full name, in any case' }),
})
export const UsersAnswer = Type.Object(
  { success: Type.Literal(true), users: Type.Array(ChatUser) },
  { $id: 'UsersAnswer' },
)

export const PresenceAnswer = Type.Object(
  {
    success: Type.Literal(true),
    status: Type.Record(Type.String(), Type.Boolean(), { description: 'user id → online' }),
  },
  { $id: 'PresenceAnswer' },
)

export const BlockParams = Type.Object({ user_id: Id })
export const BlocksAnswer = Type.Object(
  {
    success: Type.Literal(true),
    users: Type.Array(Type.Object({ id: Id, username: Type.String(), full_name: Type.String() })),
  },
  { $id: 'BlocksAnswer' },
)

/** People in a group, its owner included. */
export const GROUP_SIZE = 256
const GroupName = Name(1, 200)
const MemberIds = Type.Array(Id, { minItems: 1, maxItems: GROUP_SIZE, description: 'accepted connections' })
export const GroupBody = Type.Object({ name: GroupName, member_ids: MemberIds }, { $id: 'NewGroup' })
export const RenameBody = Type.Object({ name: GroupName }, { $id: 'NewName' })
export const MembersBody = Type.Object({ member_ids: MemberIds }, { $id: 'MembersBody' })
export const MemberParams = Type.Object({ id: Id, user_id: Id })
export const GroupAnswer = Type.Object(
  {
    success: Type.Literal(true),
    conversation: ConversationDetail,
    conv_id: Id,
  },
  { $id: 'GroupAnswer' },
)
