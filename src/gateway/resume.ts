import type { MessageChange } from '../bus/events.ts'
import type { Core } from '../core.ts'
import {
  listConversations,
  listMemberships,
  readHistory,
  viewConversation,
} from '../features/chat/conversations.ts'
import type { Connection } from './connection.ts'

/** Changes that are sent before it is waited for the peer to have read them. */
const PORTION = 50

/**
 * Sends, in order, every change since the versions that the client has (realtime.md, promise 1), no faster
 * than it reads. Whole conversations that it doesn't know, or is no longer in, come as `conversation`; too
 * long a gap as `gap`.
 */
export async function resume(
  core: Core,
  connection: Connection,
  known: ReadonlyMap<number, number>,
): Promise<void> {
  const { userId } = connection.claims
  const memberships = await listMemberships(core, [userId])
  for (const { id, version } of memberships)
    if ((known.get(id) ?? version) < version)
      await sendChanges(core, connection, id, known.get(id) ?? version)

  if (memberships.some(({ id }) => !known.has(id)))
    for (const conversation of await listConversations(core, userId)) {
      if (known.has(conversation.id)) continue
      connection.send({ type: 'conversation', conversation })
      await connection.drained()
    }

  const current = new Set(memberships.map(({ id }) => id))
  for (const id of known.keys()) if (!current.has(id)) sendRemoved(connection, id)
}

async function sendChanges(
  core: Core,
  connection: Connection,
  conversationId: number,
  since: number,
): Promise<void> {
  const { userId } = connection.claims
  let sentVersion = since
  connection.hold(conversationId)
  try {
    const history = await readHistory(core, conversationId, since, [userId])
    if (!history.memberIds.has(userId)) {
      sendRemoved(connection, conversationId)
      sentVersion = Number.POSITIVE_INFINITY
      return
    }
    const version = history.newest
    if (history.hasMore) connection.send({ type: 'gap', conversation_id: conversationId, version })
    else await sendInPortions(connection, conversationId, history.changes)
    sentVersion = version
    if (!history.membersChanged) return
    const conversation = (await viewConversation(core, [userId], conversationId)).get(userId)
    if (conversation) connection.send({ type: 'conversation', conversation: { ...conversation, version } })
  } finally {
    connection.release(conversationId, sentVersion)
  }
}

async function sendInPortions(
  connection: Connection,
  conversationId: number,
  changes: MessageChange[],
): Promise<void> {
  for (const [index, { kind, message }] of changes.entries()) {
    connection.send({
      type: kind,
      conversation_id: conversationId,
      message: { ...message, is_own: message.sender_id === connection.claims.userId },
    })
    if (index % PORTION === PORTION - 1) await connection.drained()
  }
}

function sendRemoved(connection: Connection, conversationId: number): void {
  connection.send({ type: 'conversation', conversation: { id: conversationId }, removed: true })
}
