import type { ConnectionRequest } from '../../../schemas/chat.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import * as conversations from './conversations-store.ts'
import * as store from './people-store.ts'
import { toRequest } from './wire.ts'

export type Asked =
  | { connId: number; status: 'pending' }
  | { connId: number; status: 'accepted'; conversationId: number }

/**
 * Asks somebody to connect, or accepts where they had asked already. After a rejection or an end it may be
 * asked again. 404, by whom one is blocked too; 400 to oneself, 409 `already_connected` / `already_pending`.
 */
export async function requestConnection(core: Core, userId: number, recipientId: number): Promise<Asked> {
  if (recipientId === userId) throw new AppError('self_connection')
  const asked = await core.db.transaction(async (tx): Promise<Asked> => {
    await store.lockPair(tx, userId, recipientId)
    if (!(await store.findPerson(tx, recipientId)) || (await store.isBlocked(tx, recipientId, userId)))
      throw new AppError('not_found')
    const connection = await store.findPair(tx, userId, recipientId)
    if (!connection) {
      const made = await store.insertConnection(tx, userId, recipientId)
      return { connId: made.id, status: 'pending' }
    }
    const connId = connection.id
    if (connection.status === 'accepted')
      throw new AppError('already_connected', { details: { conn_id: connId } })
    if (connection.status === 'pending') {
      if (connection.requesterId === userId) {
        tellCounters(core, recipientId)
        throw new AppError('already_pending', { details: { conn_id: connId } })
      }
      return { connId, status: 'accepted', conversationId: await accept(tx, connection) }
    }
    await store.updateConnection(tx, connId, {
      requesterId: userId,
      recipientId,
      status: 'pending',
      createdAt: new Date(core.clock()),
    })
    return { connId, status: 'pending' }
  })
  if (asked.status === 'accepted')
    await tellAccepted(core, asked.connId, recipientId, userId, asked.conversationId)
  else await tellAsked(core, asked.connId, recipientId)
  return asked
}

export async function listRequests(core: Core, userId: number): Promise<ConnectionRequest[]> {
  return (await store.listRequests(core.db, userId)).map(toRequest)
}

/** The recipient's answer: the direct conversation's id, or null on a rejection. 404, 409 `already_answered`. */
export async function respondToRequest(
  core: Core,
  userId: number,
  connectionId: number,
  action: 'accept' | 'reject',
): Promise<number | null> {
  const answered = await core.db.transaction(async (tx) => {
    const connection = await findLocked(tx, connectionId)
    if (connection?.recipientId !== userId) throw new AppError('not_found')
    if (connection.status !== 'pending') {
      tellCounters(core, userId)
      throw new AppError('already_answered')
    }
    if (action === 'accept')
      return { requesterId: connection.requesterId, conversationId: await accept(tx, connection) }
    await store.updateConnection(tx, connectionId, { status: 'rejected' })
    return undefined
  })
  tellCounters(core, userId)
  if (!answered) return null
  await tellAccepted(core, connectionId, answered.requesterId, userId, answered.conversationId)
  return answered.conversationId
}

/** By either side; a pending request is withdrawn by it. The conversation stays readable. 404 */
export async function endConnection(core: Core, userId: number, connectionId: number): Promise<void> {
  const ended = await core.db.transaction(async (tx) => {
    const connection = await findLocked(tx, connectionId)
    if (connection?.requesterId !== userId && connection?.recipientId !== userId)
      throw new AppError('not_found')
    await store.updateConnection(tx, connectionId, { status: 'ended' })
    if (connection.conversationId !== null) await conversations.updateCanSend(tx, connection.conversationId)
    return connection
  })
  tellCounters(core, ended.recipientId)
  if (ended.conversationId !== null)
    tellConversation(core, ended.conversationId, [ended.requesterId, ended.recipientId])
}

/** A connection that nobody else changes until the transaction ends. */
async function findLocked(tx: Executor, connectionId: number): Promise<store.ConnectionRow | undefined> {
  const connection = await store.findConnection(tx, connectionId)
  if (!connection) return undefined
  await store.lockPair(tx, connection.requesterId, connection.recipientId)
  return store.findConnection(tx, connectionId)
}

/** Opens the pair's direct conversation: a new one, or the one that they had before. */
async function accept(tx: Executor, connection: store.ConnectionRow): Promise<number> {
  const { id, requesterId, recipientId } = connection
  const conversationId =
    connection.conversationId ??
    (await conversations.insertDirectConversation(tx, [requesterId, recipientId]))
  await store.updateConnection(tx, id, { status: 'accepted', conversationId })
  await conversations.updateCanSend(tx, conversationId)
  return conversationId
}

/** Also upon a repetition: the node that stored the first may have died before it could tell. */
function tellCounters(core: Core, userId: number): void {
  core.bus.publish(`user:${userId}`, { kind: 'counters' })
}

function tellConversation(core: Core, conversationId: number, userIds: number[]): void {
  for (const userId of userIds) core.bus.publish(`user:${userId}`, { kind: 'conversation', conversationId })
}

async function tellAsked(core: Core, connectionId: number, recipientId: number): Promise<void> {
  const [request] = await store.listRequests(core.db, recipientId, connectionId)
  if (!request) return
  core.bus.publish(`user:${recipientId}`, {
    kind: 'frame',
    frame: { type: 'connection_request', request: toRequest(request) },
  })
  tellCounters(core, recipientId)
}

async function tellAccepted(
  core: Core,
  connectionId: number,
  requesterId: number,
  accepterId: number,
  conversationId: number,
): Promise<void> {
  tellConversation(core, conversationId, [requesterId, accepterId])
  tellCounters(core, accepterId)
  const person = await store.findPerson(core.db, accepterId)
  if (!person) return
  core.bus.publish(`user:${requesterId}`, {
    kind: 'frame',
    frame: {
      type: 'connection_accepted',
      conn_id: connectionId,
      user: { id: person.id, username: person.username, full_name: person.fullName },
      conv_id: conversationId,
    },
  })
}
