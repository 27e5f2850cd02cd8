import type { ChatMessage, Conversation } from '../../src/chat/types.ts'
import type { ClientFrame, ServerFrame } from '../../src/index.ts'
import type { Line } from './line.ts'
import { type Call, type Reply, refuse, Service } from './service.ts'

/** A message as it is stored: everybody's the same. */
interface Stored extends Omit<ChatMessage, 'is_own' | 'reactions'> {
  /** Who has reacted, by emoji, in the order of reacting. */
  reactions: Map<string, number[]>
  /** The change that made its version, if that was a reaction. */
  reacted: { user_id: number; emoji: string; added: boolean } | undefined
}

type Settings = Conversation['settings']
interface Member {
  read: number
  settings: Settings
}
interface Uploaded {
  id: number
  ownerId: number
  conversationId: number
  name: string
  isSent: boolean
}

interface Group {
  id: number
  name: string
  version: number
  /** The version of the latest change of the members or the name. */
  membersVersion: number
  readonly members: Map<number, Member>
  readonly messages: Stored[]
}

/** Few, so that walks meet them: of a page, and of a resume before a gap. */
const PAGE = 8
const GAP = 6
const EXPIRING_MS = 60_000
/** How long events are on their way between nodes, and how long a resume reads. */
const BUS_MS = 200
const READING_MS = 60

/** As much of the service as chat needs, by the rules of docs/protocol/realtime.md. */
export class ChatService extends Service {
  readonly groups = new Map<number, Group>()
  /** Events don't arrive, as while the connection between the nodes is interrupted. */
  isDeaf = false
  /** Reactions that were refused, by emoji. */
  readonly refusedReactions = new Set<string>()
  /** When a reaction was added last, and taken back, by `<emoji> <added>`. */
  readonly reactedAt = new Map<string, number>()
  readonly #sockets = new Set<Socket>()
  readonly #uploads: Uploaded[] = []
  #lastTime = 0

  group(id: number, members: number[]): Group {
    const group: Group = {
      id,
      name: `group ${id}`,
      version: 1,
      membersVersion: 1,
      members: new Map(members.map((each) => [each, newMember(0)])),
      messages: [],
    }
    this.groups.set(id, group)
    this.#publish(group)
    return group
  }

  write(
    id: number,
    userId: number,
    message: string,
    { clientId = null, mentions = [], files = [] }: Written = {},
  ): Stored {
    const group = this.#group(id)
    group.version += 1
    this.#lastTime = Math.max(this.#lastTime + 1, this.world.now)
    const stored: Stored = {
      id: id * 10_000 + group.messages.length + 1,
      seq: group.messages.length + 1,
      version: group.version,
      sender_id: userId,
      sender_name: `${userId}`,
      message,
      created_at: this.time(this.#lastTime),
      client_id: clientId,
      is_edited: false,
      is_deleted: false,
      reply_to_id: null,
      reply_to_text: null,
      reply_to_name: null,
      reactions: new Map(),
      reacted: undefined,
      attachments: files.map(toAttachment),
      mentions: mentions.filter((each) => group.members.has(each)),
    }
    group.messages.push(stored)
    for (const file of files) file.isSent = true
    for (const [each, member] of group.members) {
      if (each === userId) member.read = stored.seq
      if (!this.#isMuted(member.settings)) member.settings = { ...member.settings, archived: false }
    }
    this.#publish(group)
    return stored
  }

  /** An edit; without a text a deletion. */
  change(id: number, seq: number, text?: string, mentions?: number[]): void {
    const group = this.#group(id)
    const message = group.messages[seq - 1]
    if (!message || message.is_deleted) return
    group.version += 1
    const { version } = group
    group.messages[seq - 1] =
      text === undefined
        ? {
            ...message,
            version,
            message: '',
            is_deleted: true,
            reactions: new Map(),
            reacted: undefined,
            attachments: [],
            mentions: [],
          }
        : {
            ...message,
            version,
            message: text,
            is_edited: true,
            reacted: undefined,
            mentions: mentions ?? message.mentions,
          }
    this.#publish(group)
  }

  /** A reaction that is added or taken back; the message as it is then, or undefined if it takes none. */
  react(id: number, seq: number, userId: number, emoji: string, added: boolean): Stored | undefined {
    const group = this.#group(id)
    const message = group.messages[seq - 1]
    if (!message || message.is_deleted) return undefined
    const before = message.reactions.get(emoji) ?? []
    if (before.includes(userId) === added) return message
    group.version += 1
    const reactions = new Map(message.reactions)
    const after = added ? [...before, userId] : before.filter((each) => each !== userId)
    if (after.length > 0) reactions.set(emoji, after)
    else reactions.delete(emoji)
    const changed = {
      ...message,
      version: group.version,
      reactions,
      reacted: { user_id: userId, emoji, added },
    }
    group.messages[seq - 1] = changed
    this.#publish(group)
    return changed
  }

  set(id: number, userId: number, change: Partial<Settings>): Settings | undefined {
    const group = this.#group(id)
    const member = group.members.get(userId)
    if (!member) return undefined
    member.settings = { ...member.settings, ...change }
    const tell = (frame: () => ServerFrame | undefined) => {
      for (const socket of this.#sockets)
        if (socket.userId === userId)
          this.#later(() => {
            const told = frame()
            if (told && this.#sockets.has(socket)) socket.line.tell(told)
          })
    }
    tell(() => {
      const conversation = this.view(group, userId)
      return conversation && { type: 'conversation', conversation }
    })
    if (change.muted_until)
      this.world.after(Date.parse(change.muted_until) - this.world.now + 1, () =>
        tell(() => ({ type: 'unread', unread: 0, unread_all: 0, mentions: 0, requests: 0 })),
      )
    return member.settings
  }

  #isMuted({ muted_until }: Settings): boolean {
    return muted_until !== null && Date.parse(muted_until) > this.world.now
  }

  setMember(id: number, userId: number, isMember: boolean): void {
    const group = this.#group(id)
    if (group.members.has(userId) === isMember) return
    if (isMember) group.members.set(userId, newMember(group.messages.length))
    else group.members.delete(userId)
    this.#changeMembers(group)
  }

  rename(id: number, name: string): void {
    const group = this.#group(id)
    group.name = name
    this.#changeMembers(group)
  }

  read(id: number, userId: number, upTo = Number.POSITIVE_INFINITY): void {
    const group = this.#group(id)
    const member = group.members.get(userId)
    const up_to_seq = Math.min(upTo, group.messages.length)
    if (!member || up_to_seq <= member.read) return
    member.read = up_to_seq
    this.#later(() => {
      for (const socket of this.#sockets)
        if (group.members.has(socket.userId))
          socket.line.tell({ type: 'read', conversation_id: id, user_id: userId, up_to_seq })
    })
  }

  /** Events arrive again; what was missed is made up for. */
  hearAgain(): void {
    if (!this.isDeaf) return
    this.isDeaf = false
    for (const socket of this.#sockets) socket.line.tell({ type: 'resync' })
    for (const group of this.groups.values()) this.#publish(group)
  }

  /** A conversation as somebody sees it; undefined: they are no member. */
  view({ id, name, version, members, messages }: Group, userId: number): Conversation | undefined {
    const member = members.get(userId)
    const last = messages.at(-1)
    if (!member) return undefined
    const { read, settings } = member
    return {
      id,
      name,
      is_group: true,
      unread: messages.length - read,
      online: false,
      last_message: last
        ? { message: last.message, created_at: last.created_at, attachments: last.attachments.length }
        : null,
      user_id: null,
      conn_id: null,
      member_count: members.size,
      last_seq: messages.length,
      last_read_seq: read,
      version,
      can_send: true,
      settings: { ...settings, muted_until: this.#isMuted(settings) ? settings.muted_until : null },
      unread_mentions: messages.filter(({ seq, mentions }) => seq > read && mentions.includes(userId)).length,
    }
  }

  messagesFor(id: number, userId: number): ChatMessage[] {
    return this.#group(id).messages.map((each) => toMessageFor(userId, each))
  }

  viewsOf(userId: number): Conversation[] {
    return [...this.groups.values()].flatMap((group) => this.view(group, userId) ?? [])
  }

  override accept(line: Line, end: () => void): void {
    const caller = this.caller(line.token)
    if (!caller) {
      line.close(1006)
      end()
      return
    }
    const { userId, session, expiresAt } = caller
    const versions = new Map(this.viewsOf(userId).map(({ id, version }) => [id, version]))
    const socket: Socket = { line, userId, session, expiresAt, versions }
    this.#sockets.add(socket)
    line.take = (text) => this.#take(socket, JSON.parse(text))
    line.ended = () => {
      this.#sockets.delete(socket)
      end()
    }
    const counters = { unread: 0, unread_all: 0, mentions: 0, requests: 0 }
    const server_time = this.time(this.world.now)
    line.tell({
      type: 'ready',
      user_id: userId,
      session_id: 1,
      server_time,
      heartbeat_seconds: 25,
      ...counters,
    })
    this.#watchToken(socket)
  }

  protected override ended(session: string): void {
    for (const socket of this.#sockets) if (socket.session === session) socket.line.close(4001)
  }

  protected answer({ method, name, query, body, form }: Call, userId: number): Reply {
    if (name === 'auth/me') return [200, { success: true }]
    if (name === 'chat/presence') return [200, { success: true, status: {} }]
    if (name === 'chat/connections/requests') return [200, { success: true, requests: [] }]
    if (name === 'chat/conversations') {
      const isWanted = ({ settings }: Conversation) => `${settings.archived}` === query.get('archived')
      return [200, { success: true, conversations: this.viewsOf(userId).filter(isWanted) }]
    }
    const [, id, part, rest] = /^chat\/conversations\/(\d+)\/?(\w*)(.*)$/.exec(name) ?? []
    const group = this.groups.get(Number(id))
    const conversation = group && this.view(group, userId)
    if (rest) return this.#answerReaction(group, method, rest, userId)
    if (!group || !conversation) return refuse(404, 'not_found')
    if (part === 'settings') return [200, { success: true, settings: this.set(group.id, userId, body) }]
    if (part === 'attachments') {
      const file = form?.get('file')
      if (!(file instanceof File)) return refuse(400, 'validation_failed')
      const [id, ownerId] = [this.#uploads.length + 1, userId]
      this.#uploads.push({ id, ownerId, conversationId: group.id, name: file.name, isSent: false })
      return [201, { success: true, attachment: { id, name: file.name } }]
    }
    if (part === 'messages') {
      if (method === 'POST') return this.#send(group, userId, body)
      const around = query.get('around')
      if (around !== null) {
        const at = group.messages.findIndex((each) => each.id === Number(around))
        const [from, until] = [Math.max(0, at - PAGE / 2), at + PAGE / 2]
        if (at < 0) return refuse(404, 'not_found')
        return [
          200,
          {
            success: true,
            messages: group.messages.slice(from, until).map((each) => toMessageFor(userId, each)),
            has_more: from > 0,
            has_newer: until < group.messages.length,
          },
        ]
      }
      const before = query.get('before')
      const older = group.messages.filter(({ created_at }) => !before || created_at < before)
      const messages = older.slice(-PAGE).map((each) => toMessageFor(userId, each))
      return [200, { success: true, messages, has_more: older.length > PAGE }]
    }
    const members = [...group.members].map(([member, { read }]) => ({ id: member, last_read_seq: read }))
    return [200, { success: true, conversation: { ...conversation, members } }]
  }

  #send(
    group: Group,
    userId: number,
    { message, client_id, mentions, attachment_ids = [] }: Call['body'],
  ): Reply {
    const known = group.messages.find((each) => each.sender_id === userId && each.client_id === client_id)
    const ids = attachment_ids as number[]
    const files = ids.flatMap((id) => this.#uploads.find((each) => each.id === id) ?? [])
    const isFree = (file: Uploaded) =>
      !file.isSent && file.ownerId === userId && file.conversationId === group.id
    if (!known && !(files.length === ids.length && files.every(isFree)))
      return refuse(400, 'invalid_attachment')
    const more = { clientId: `${client_id}`, mentions: mentions as number[], files }
    const stored = known ?? this.write(group.id, userId, `${message}`, more)
    return [known ? 200 : 201, { success: true, message: toMessageFor(userId, stored) }]
  }

  #answerReaction(group: Group | undefined, method: string, rest: string, userId: number): Reply {
    const [, id, encoded = ''] = /^\/(\d+)\/reactions\/(.*)$/.exec(rest) ?? []
    const emoji = decodeURIComponent(encoded)
    const seq = group?.messages.find((each) => each.id === Number(id))?.seq
    const message =
      group?.members.has(userId) && seq
        ? this.react(group.id, seq, userId, emoji, method === 'PUT')
        : undefined
    if (message) {
      this.reactedAt.set(`${emoji} ${method === 'PUT'}`, this.world.now)
      const { version } = message
      return [200, { success: true, version, reactions: toMessageFor(userId, message).reactions }]
    }
    this.refusedReactions.add(emoji)
    return refuse(seq ? 409 : 404, seq ? 'deleted' : 'not_found')
  }

  #take(socket: Socket, frame: ClientFrame): void {
    const ack = (more: object = {}) => socket.line.tell({ type: 'ack', ref: frame.ref, ...more })
    switch (frame.type) {
      case 'ping':
        socket.line.tell({ type: 'pong' })
        return
      case 'read':
        this.read(frame.conversation_id, socket.userId, frame.up_to_seq)
        ack({ unread: 0 })
        return
      case 'auth':
        socket.expiresAt = this.caller(frame.access_token)?.expiresAt ?? 0
        this.#watchToken(socket)
        ack()
        return
      case 'resume':
        this.#resume(socket, frame.conversations, ack)
    }
  }

  /** One conversation after another, while others go on changing. */
  #resume(socket: Socket, known: Record<string, number>, ack: (resumed: object) => void): void {
    const ids = [...this.groups.keys()]
    const told = new Map<number, number>()
    const next = () => {
      const group = this.groups.get(ids.shift() ?? 0)
      if (!group) {
        finish()
        return
      }
      const conversation = this.view(group, socket.userId)
      const since = known[group.id]
      if (conversation) {
        told.set(group.id, group.version)
        if (since === undefined) socket.line.tell({ type: 'conversation', conversation })
        else if (since < group.version) this.#tellChanges(socket, group, since, true)
        socket.versions.set(group.id, group.version)
      }
      this.#afterUpTo(READING_MS, next)
    }
    const finish = () => {
      for (const id of Object.keys(known).map(Number))
        if (!this.groups.get(id)?.members.has(socket.userId)) tellRemoved(socket, id)
      const states = this.viewsOf(socket.userId).flatMap(
        ({ id, last_read_seq, unread, settings, unread_mentions }) =>
          told.has(id)
            ? [[id, { version: told.get(id), last_read_seq, unread, settings, unread_mentions }] as const]
            : [],
      )
      const counters = { unread: 0, unread_all: 0, mentions: 0, requests: 0 }
      ack({ conversations: Object.fromEntries(states), ...counters })
    }
    next()
  }

  #group(id: number): Group {
    const group = this.groups.get(id)
    if (!group) throw new Error(`There is no group ${id}`)
    return group
  }

  #changeMembers(group: Group): void {
    group.version += 1
    group.membersVersion = group.version
    this.#publish(group)
  }

  /** Each socket hears of it after a while of its own, in the order of versions. */
  #publish(group: Group): void {
    for (const socket of this.#sockets) this.#later(() => this.#deliver(socket, group))
  }

  #deliver(socket: Socket, group: Group): void {
    if (!this.#sockets.has(socket)) return
    const known = socket.versions.get(group.id)
    const conversation = this.view(group, socket.userId)
    if (!conversation) {
      if (socket.versions.delete(group.id)) tellRemoved(socket, group.id)
    } else if (known === undefined) {
      socket.versions.set(group.id, group.version)
      socket.line.tell({ type: 'conversation', conversation })
    } else if (known < group.version) {
      socket.versions.set(group.id, group.version)
      this.#tellChanges(socket, group, known, false)
    }
  }

  #tellChanges(socket: Socket, group: Group, since: number, isResume: boolean): void {
    const { random } = this.world
    const changed = group.messages
      .filter(({ version }) => version > since)
      .sort((one, other) => one.version - other.version)
    const frames: ServerFrame[] = changed.map((each) =>
      each.reacted && !isResume
        ? toReactionsFrame(group.id, each, each.reacted)
        : {
            type: each.is_deleted
              ? 'message_deleted'
              : each.is_edited || each.reacted
                ? 'message_edited'
                : 'message',
            conversation_id: group.id,
            message: toMessageFor(socket.userId, each),
          },
    )
    if (isResume && frames.length > GAP)
      frames.splice(0, frames.length, { type: 'gap', conversation_id: group.id, version: group.version })
    const conversation = this.view(group, socket.userId)
    if (conversation && group.membersVersion > since) {
      const frame: ServerFrame = { type: 'conversation', conversation }
      // Seldom it overtakes the messages before it.
      if (random() < 0.1) frames.unshift(frame)
      else frames.push(frame)
    }
    for (const frame of frames)
      for (let times = random() < 0.05 ? 2 : 1; times > 0; times--) socket.line.tell(frame)
  }

  #watchToken(socket: Socket): void {
    const { expiresAt } = socket
    const left = expiresAt - this.world.now
    const isSame = () => this.#sockets.has(socket) && socket.expiresAt === expiresAt
    this.world.after(
      left - EXPIRING_MS,
      () => isSame() && socket.line.tell({ type: 'auth_expiring', expires_in: 60 }),
    )
    this.world.after(left, () => isSame() && socket.line.close(4001))
  }

  #later(run: () => void): void {
    this.#afterUpTo(BUS_MS, () => !this.isDeaf && run())
  }

  #afterUpTo(ms: number, run: () => void): void {
    this.world.after(ms * this.world.random(), run)
  }
}

interface Socket {
  line: Line
  userId: number
  session: string
  expiresAt: number
  /** The version that it was told of each conversation. */
  versions: Map<number, number>
}

function tellRemoved({ line }: Socket, id: number): void {
  line.tell({ type: 'conversation', conversation: { id }, removed: true })
}

/** What may come with a message. */
interface Written {
  clientId?: string | null
  mentions?: number[] | undefined
  files?: Uploaded[]
}

function newMember(read: number): Member {
  return { read, settings: { muted_until: null, archived: false, pinned: false } }
}

/** People who are named with an emoji: fewer than there are. */
const NAMED = 1

function totalsOf({ reactions }: Stored) {
  return [...reactions].map(([emoji, user_ids]) => ({
    emoji,
    count: user_ids.length,
    user_ids: user_ids.slice(0, NAMED),
  }))
}

function toReactionsFrame(
  conversation_id: number,
  message: Stored,
  reacted: NonNullable<Stored['reacted']>,
): ServerFrame {
  const { id: message_id, version } = message
  return { type: 'reactions', conversation_id, message_id, version, reactions: totalsOf(message), ...reacted }
}

function toMessageFor(userId: number, stored: Stored): ChatMessage {
  const { reactions, reacted: _, ...message } = stored
  return {
    ...message,
    is_own: stored.sender_id === userId,
    reactions: totalsOf(stored).map((each) => ({
      ...each,
      mine: reactions.get(each.emoji)?.includes(userId) ?? false,
    })),
  }
}

function toAttachment({ id, name }: Uploaded): ChatMessage['attachments'][number] {
  const type = 'application/octet-stream'
  return { id, name, type, size: 1, width: null, height: null, url: '', thumbnail_url: null }
}
