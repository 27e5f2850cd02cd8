import type { Conversation, ConversationDetail, Counters } from '../../../schemas/chat.ts'
import type { MessageChange } from '../../bus/events.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import * as store from './conversations-store.ts'
import { listChanges } from './messages-store.ts'
import { toChange, toConversation, toSharedMessage } from './wire.ts'

/** Messages in an answer to `changes`; a client that missed more of a conversation lists it afresh. */
const CHANGES_LIMIT = 500

export async function listConversations(core: Core, userId: number): Promise<Conversation[]> {
  return [...(await present(core, await store.listConversations(core.db, [userId])))].map(
    ([, conversation]) => conversation,
  )
}

/** One conversation as each of these people sees it; those who are not in it are left out. */
export async function viewConversation(
  core: Core,
  userIds: number[],
  conversationId: number,
): Promise<Map<number, Conversation>> {
  return new Map(await present(core, await store.listConversations(core.db, userIds, conversationId)))
}

/** With its members. 404. */
export async function describeConversation(
  core: Core,
  userId: number,
  conversationId: number,
): Promise<ConversationDetail> {
  const conversation = (await viewConversation(core, [userId], conversationId)).get(userId)
  if (!conversation) throw new AppError('not_found')
  const members = await store.listMembers(core.db, conversationId, userId)
  const online = await core.presence.online(
    members.filter(({ id, visible }) => visible || id === userId).map(({ id }) => id),
  )
  return {
    ...conversation,
    members: members.map(({ id, username, full_name, last_read_seq }, index) => ({
      id,
      username,
      full_name,
      online: online.has(id),
      is_owner: conversation.is_group && index === 0,
      last_read_seq,
    })),
  }
}

async function present(core: Core, rows: store.ConversationRow[]): Promise<[number, Conversation][]> {
  const online = await core.presence.online([...new Set(rows.flatMap((row) => row.visible_ids))])
  return rows.map((row) => [
    row.reader_id,
    toConversation(
      row,
      row.visible_ids.some((id) => online.has(id)),
    ),
  ])
}

/** The conversations that these people are in and the version of each. */
export function listMemberships(core: Core, userIds: number[]) {
  return store.listMemberships(core.db, userIds)
}

/** The conversations that these people came to within the last so many seconds. */
export function listNewMemberships(core: Core, userIds: number[], withinSeconds: number) {
  return store.listNewMemberships(core.db, userIds, withinSeconds)
}

/** The versions of these conversations. */
export async function listVersions(core: Core, conversationIds: number[]) {
  return conversationIds.length === 0 ? [] : store.listVersions(core.db, conversationIds)
}

/** Unread messages and pending requests of one person. */
export async function countersOf(core: Core, userId: number): Promise<Counters> {
  const [row] = await store.listCounters(core.db, [{ userId, conversationId: undefined }])
  return { unread: row?.unread ?? 0, requests: row?.requests ?? 0 }
}

/** The same for many people at once, each with one conversation's own if asked for. */
export function listCounters(
  core: Core,
  asked: { userId: number; conversationId: number | undefined }[],
): Promise<store.CountersRow[]> {
  return store.listCounters(core.db, asked)
}

export interface History {
  /** Where a reader of `changes` stands afterwards. */
  version: number
  /** Where the conversation stands: the same, unless there is more. */
  newest: number
  /** Those of the people asked about who are members as of the newest version here, or later. */
  memberIds: Set<number>
  /** Whether the members or the name changed meanwhile. */
  membersChanged: boolean
  changes: MessageChange[]
  hasMore: boolean
}

/** The history of a conversation that is gone. */
const NOTHING = { memberIds: new Set<number>(), membersChanged: false, changes: [], hasMore: false }

/**
 * What happened in a conversation after the version `since`, and which of these people may know; without
 * `since`, where it stands. Nothing in it is later than the membership that it tells: who was removed never
 * reads on.
 */
export async function readHistory(
  core: Core,
  conversationId: number,
  since: number | undefined,
  userIds: number[],
): Promise<History> {
  const standing = await store.findStanding(core.db, conversationId, userIds)
  if (!standing) return { ...NOTHING, version: since ?? 0, newest: since ?? 0 }
  const { version, membersVersion, memberIds } = standing
  const from = since ?? version
  const rows =
    from < version ? await listChanges(core.db, conversationId, from, version, CHANGES_LIMIT + 1) : []
  const changes = rows.slice(0, CHANGES_LIMIT).map((row) => toChange(toSharedMessage(row)))
  const hasMore = rows.length > CHANGES_LIMIT
  return {
    newest: version,
    version: hasMore ? (changes.at(-1)?.version ?? from) : Math.max(from, version),
    memberIds: new Set(memberIds),
    membersChanged: from < membersVersion,
    changes,
    hasMore,
  }
}

/** 404 for a conversation that they are not in, or that is none. */
export async function requireMember(core: Core, conversationId: number, userId: number) {
  const member = await store.findMember(core.db, conversationId, userId)
  if (!member) throw new AppError('not_found')
  return member
}
