import type { Core } from '../core.ts'
import * as chat from '../features/chat/service.ts'
import type { Connection } from './connection.ts'

/**
 * Sends, in order, every change since the versions that the client has (realtime.md, promise 1). Whole
 * conversations that it doesn't know, or is no longer in, come as `conversation`; too long a gap as `gap`.
 */
export async function resume(
  core: Core,
  connection: Connection,
  known: ReadonlyMap<number, number>,
): Promise<void> {
  const { userId } = connection.claims
  const memberships = await chat.listMemberships(core, [userId])
  const current = new Set(memberships.map(({ id }) => id))
  for (const { id, version } of memberships) {
    const since = known.get(id)
    if (since === undefined) await sendConversation(core, connection, id)
    else if (since < version) await sendChanges(core, connection, id, since, version)
  }
  for (const id of known.keys())
    if (!current.has(id)) connection.send({ type: 'conversation', conversation: { id }, removed: true })
}

async function sendConversation(core: Core, connection: Connection, conversationId: number): Promise<void> {
  const conversation = await chat.findConversation(core, connection.claims.userId, conversationId)
  if (conversation) connection.send({ type: 'conversation', conversation })
}

async function sendChanges(
  core: Core,
  connection: Connection,
  conversationId: number,
  since: number,
  current: number,
): Promise<void> {
  const { userId } = connection.claims
  let sentVersion = since
  connection.hold(conversationId)
  try {
    const missed = await chat.readChanges(core, conversationId, since)
    if (missed.has_more) {
      connection.send({ type: 'gap', conversation_id: conversationId, version: current })
      sentVersion = current
      return
    }
    for (const message of missed.messages)
      connection.send({
        type: chat.kindOf(message),
        conversation_id: conversationId,
        message: { ...message, is_own: message.sender_id === userId },
      })
    sentVersion = missed.version
  } finally {
    connection.release(conversationId, sentVersion)
  }
}
