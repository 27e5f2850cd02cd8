import type { Settings } from '../../../../schemas/chat.schemas.ts'
import type { MessageChange } from '../../../bus/events.ts'
import type { Core } from '../../../core.ts'
import { AppError } from '../../../errors.ts'
import { slicesOf } from '../../../formats/slices.ts'
import type { Connection } from '../../../gateway/connection.ts'
import { requireHelp } from '../../help-lock/help-lock.service.ts'
import { listConversations, toSettings, viewConversation } from '../conversations/conversations.service.ts'
import { countersOf, membershipsOf } from '../conversations/memberships.service.ts'
import { readHistory } from '../messages/message-history.service.ts'
import { encodeChange, encodeRemoved } from './chat-frames.live.ts'

/** Changes that are sent before the next ones wait until the client has read them. */
const PORTION = 50
/** Conversations of one socket whose changes are in memory: a part of the person's, so that no slow reader has all. */
const AT_ONCE = 4
/** Conversations unknown to the client that are read together. */
const WHOLE_AT_ONCE = 200

/** The content of the ack of `resume`. */
export interface ResumeAck {
  /** `version`: everything up to it has been sent. */
  conversations: Record<
    number,
    { version: number; last_read_seq: number; unread: number; settings: Settings; unread_mentions: number }
  >
  unread: number
  unread_all: number
  requests: number
  mentions: number
}

/** The live changes on this node that a resume goes along with. */
export interface LiveChanges {
  /**
   * Makes sure that all later changes of these conversations reach the connection. False: they did so already, and
   * there was nothing to wait for.
   */
  follow(conversationIds: number[]): Promise<boolean>
  /** Resolves when this node has delivered the conversation's changes up to this version. */
  catchUp(conversationId: number, version: number): Promise<void>
}

/**
 * Sends, in order, every change since the versions that the client has (docs/protocol/realtime.md#resume), no faster
 * than the client reads. Conversations that the client doesn't know, or is no longer in, are sent as `conversation`;
 * too many changes as `gap`. Read pointers have no version, so the answer contains all of them. An answer means that
 * everything was sent: if something was withheld meanwhile, it throws 403 `exam_in_progress` or 503 instead.
 */
export async function resume(
  core: Core,
  connection: Connection,
  known: ReadonlyMap<number, number>,
  live: LiveChanges,
): Promise<ResumeAck> {
  const { userId } = connection.claims
  const { withholdings } = connection
  const sent = new Map<number, number>()
  let memberships = await membershipsOf(core, userId)
  const ids = new Set(memberships.map(({ id }) => id))
  // What changed before a conversation was followed is told by nobody else: its version has to be read after that.
  if (await live.follow([...ids]))
    memberships = (await membershipsOf(core, userId)).filter(({ id }) => ids.has(id))
  for (const some of slicesOf(memberships, AT_ONCE))
    await Promise.all(
      some.map(async ({ id, version }) => {
        const since = known.get(id) ?? version
        const send = () => sendChanges(core, connection, id, since, live)
        // Its place is held until the client has read everything, because it is in memory until then.
        sent.set(id, since < version ? await core.gate.resumes.run(connection.asker, send) : version)
      }),
    )

  const unknown = memberships.map(({ id }) => id).filter((id) => !known.has(id))
  for (const ids of slicesOf(unknown, WHOLE_AT_ONCE)) {
    const read = () => listConversations(core, userId, { ids })
    for (const conversation of await core.gate.resumes.run(connection.asker, read)) {
      sent.set(conversation.id, conversation.version)
      connection.send({ type: 'conversation', conversation })
      await connection.drained()
    }
  }

  if (connection.withholdings !== withholdings) {
    await requireHelp(core, userId)
    throw new AppError('unavailable', { retryAfter: 1 })
  }
  const [counters, now] = await Promise.all([countersOf(core, userId), membershipsOf(core, userId)])
  const current = new Set(now.map(({ id }) => id))
  for (const id of known.keys()) if (!current.has(id)) connection.write(encodeRemoved(id))
  // Conversations joined meanwhile arrive as events of their own.
  const states = now.flatMap(({ id, lastReadSeq, lastSeq, settings, unreadMentions }) => {
    const version = sent.get(id)
    if (version === undefined) return []
    const state = {
      version,
      last_read_seq: lastReadSeq,
      unread: lastSeq - lastReadSeq,
      settings: toSettings(settings),
      unread_mentions: unreadMentions,
    }
    return [[id, state] as const]
  })
  return { conversations: Object.fromEntries(states), ...counters }
}

async function sendChanges(
  core: Core,
  connection: Connection,
  conversationId: number,
  since: number,
  live: LiveChanges,
): Promise<number> {
  const { userId } = connection.claims
  let sentVersion = since
  connection.hold(conversationId)
  try {
    const history = await readHistory(core, conversationId, since, [userId])
    if (!history.memberIds.has(userId)) {
      connection.write(encodeRemoved(conversationId))
      sentVersion = Number.POSITIVE_INFINITY
      return since
    }
    const version = history.newest
    if (history.hasMore) connection.send({ type: 'gap', conversation_id: conversationId, version })
    else await sendInPortions(connection, conversationId, history.changes)
    sentVersion = version
    // What is stored is told a little later. If the node learned of these changes after the release, they would come
    // a second time, behind newer ones.
    await live.catchUp(conversationId, version)
    if (!history.membersChanged) return version
    const conversation = (await viewConversation(core, [userId], conversationId)).get(userId)
    if (conversation) connection.send({ type: 'conversation', conversation: { ...conversation, version } })
    return version
  } finally {
    connection.release(conversationId, sentVersion)
  }
}

async function sendInPortions(
  connection: Connection,
  conversationId: number,
  changes: MessageChange[],
): Promise<void> {
  for (const [index, change] of changes.entries()) {
    connection.write(encodeChange(connection.claims.userId, conversationId, change))
    if (index % PORTION === PORTION - 1) await connection.drained()
  }
}
