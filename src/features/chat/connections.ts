import type { ConnectionRequest } from '../../../schemas/chat.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import * as store from './store.ts'
import { toRequest } from './wire.ts'

export type Asked =
  | { connId: number; status: 'pending' }
  | { connId: number; status: 'accepted'; conversationId: number }

/**
 * Asks somebody to connect, or accepts where they had asked already. After a rejection or an end it may be
 * asked again. 404, 400 to oneself, 409 `already_connected` / `already_pending`.
 */
export async function requestConnection(core: Core, userId: number, recipientId: number): Promise<Asked> {
  if (recipientId === userId) throw new AppError('self_connection')
  if (!(await store.findPerson(core.db, recipientId))) throw new AppError('not_found')
  const asked = await core.db.transaction(async (tx): Promise<Asked> => {
    const made = await store.insertConnection(tx, userId, recipientId)
    if (made) return { connId: made.id, status: 'pending' }
    const connection = await store.findPairForUpdate(tx, userId, recipientId)
    if (!connection) throw new AppError('unavailable', { retryAfter: 1 })
    const connId = connection.id
    if (connection.status === 'accepted')
      throw new AppError('already_connected', { details: { conn_id: connId } })
    if (connection.status === 'pending') {
      if (connection.requesterId === userId)
        throw new AppError('already_pending', { details: { conn_id: connId } })
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
    const connection = await store.findConnectionForUpdate(tx, connectionId)
    if (connection?.recipientId !== userId) throw new AppError('not_found')
    if (connection.status !== 'pending') throw new AppError('already_answered')
    if (action === 'accept')
      return { requesterId: connection.requesterId, conversationId: await accept(tx, connection) }
    await store.updateConnection(tx, connectionId, { status: 'rejected' })
    return undefined
  })
  core.bus.publish(`user:${userId}`, { kind: 'counters' })
  if (!answered) return null
  await tellAccepted(core, connectionId, answered.requesterId, userId, answered.conversationId)
  return answered.conversationId
}

/** Opens the pair's direct conversation: a new one, or the one that they had before. */
async function accept(tx: Executor, connection: store.ConnectionRow): Promise<number> {
  const { id, requesterId, recipientId } = connection
  const conversationId =
    connection.conversationId ?? (await store.insertDirectConversation(tx, [requesterId, recipientId]))
  if (connection.conversationId !== null) await store.updateCanSend(tx, conversationId, true)
  await store.updateConnection(tx, id, { status: 'accepted', conversationId })
  return conversationId
}

async function tellAsked(core: Core, connectionId: number, recipientId: number): Promise<void> {
  const [request] = await store.listRequests(core.db, recipientId, connectionId)
  if (!request) return
  core.bus.publish(`user:${recipientId}`, {
    kind: 'frame',
    frame: { type: 'connection_request', request: toRequest(request) },
  })
  core.bus.publish(`user:${recipientId}`, { kind: 'counters' })
}

async function tellAccepted(
  core: Core,
  connectionId: number,
  requesterId: number,
  accepterId: number,
  conversationId: number,
): Promise<void> {
  for (const userId of [requesterId, accepterId])
    core.bus.publish(`user:${userId}`, { kind: 'joined', conversationId })
  core.bus.publish(`user:${accepterId}`, { kind: 'counters' })
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
