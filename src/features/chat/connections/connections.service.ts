import { randomUUID } from 'node:crypto'
import type { ConnectionRequest } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { LOCKS, lockAlone, lockPerson } from '../../../db/locks.ts'
import { AppError } from '../../../errors.ts'
import { DAY_MS } from '../../../formats/local-time.ts'
import { causePushes } from '../../push/push.service.ts'
import * as conversations from '../conversations/conversations.store.ts'
import { tellConversation } from '../conversations/memberships.service.ts'
import * as store from './connections.store.ts'
import * as people from './people.store.ts'

/** People whom one person may ask to connect within a day (docs/protocol/http.md#caps). */
const MOST_A_DAY = 1_000
/**
 * How often one person may ask another one within a day: people who withdraw may have second thoughts, but not for
 * ever.
 */
const MOST_ASKS = 5

export type RequestOutcome =
  | { connId: number; status: 'pending' }
  | { connId: number; status: 'accepted'; conversationId: number }
/** The person has asked before, and the request is still open. */
interface RepeatedRequest {
  connId: number
  status: 'repeated'
}

/**
 * Asks somebody to connect; if they have asked already, accepts their request. After a connection has ended one may ask
 * again; after a rejection, a day later. 404 also if the other person has blocked this one.
 */
export async function requestConnection(
  core: Core,
  userId: number,
  recipientId: number,
): Promise<RequestOutcome> {
  if (recipientId === userId) throw new AppError('self_connection')
  const asked = await core.db.transaction(async (tx): Promise<RequestOutcome | RepeatedRequest> => {
    await lockAlone(tx, LOCKS.pair(userId, recipientId))
    if (!(await people.findPerson(tx, recipientId)) || (await people.isBlocked(tx, recipientId, userId)))
      throw new AppError('not_found')
    const connection = await store.findPair(tx, userId, recipientId)
    if (connection?.status === 'accepted')
      throw new AppError('already_connected', { details: { conn_id: connection.id } })
    if (connection?.status === 'pending') {
      if (connection.requesterId === userId) return { connId: connection.id, status: 'repeated' }
      return {
        connId: connection.id,
        status: 'accepted',
        conversationId: await accept(tx, connection),
      }
    }
    await requireRequestLeft(core, tx, userId)
    return { connId: await ask(core, tx, userId, recipientId, connection), status: 'pending' }
  })
  if (asked.status === 'repeated') {
    tellCounters(core, recipientId)
    throw new AppError('already_pending', { details: { conn_id: asked.connId } })
  }
  if (asked.status === 'accepted')
    await tellAccepted(core, asked.connId, recipientId, userId, asked.conversationId)
  else await tellAsked(core, asked.connId, recipientId)
  return asked
}

/**
 * Stores a request; answers the connection's id. Of the requests of a pair one a day is pushed. 409 `too_many` after the
 * day's last one of these two, `already_answered` for a day after their rejection.
 */
async function ask(
  core: Core,
  tx: Executor,
  requesterId: number,
  recipientId: number,
  known: store.ConnectionRow | undefined,
): Promise<number> {
  const now = new Date(core.clock())
  const isOfToday = (at: Date | null | undefined) => at != null && at.getTime() > now.getTime() - DAY_MS
  const isPushed = isOfToday(known?.pushedAt)
  if (known?.requesterId === requesterId) {
    if (isOfToday(known.rejectedAt))
      throw new AppError('already_answered', { message: 'They said no: ask again in a day' })
    if (isPushed && known.asks >= MOST_ASKS)
      throw new AppError('too_many', { message: `At most ${MOST_ASKS} requests to one person a day` })
  }
  const request = {
    requesterId,
    recipientId,
    status: 'pending',
    createdAt: now,
    rejectedAt: null,
    ...(isPushed ? { asks: (known?.asks ?? 0) + 1 } : { asks: 1, pushedAt: now }),
  } as const
  const id = known?.id ?? (await store.insertConnection(tx, request)).id
  if (known) await store.updateConnection(tx, id, request)
  if (!isPushed) await causePushes(tx, { kind: 'connection_request', subjectId: id, userIds: [recipientId] })
  return id
}

/** 409 `too_many` after the day's last request. */
async function requireRequestLeft({ clock }: Core, tx: Executor, userId: number): Promise<void> {
  await lockPerson(tx, userId)
  if ((await store.countRequests(tx, userId, new Date(clock() - DAY_MS))) >= MOST_A_DAY)
    throw new AppError('too_many', { message: `At most ${MOST_A_DAY} people a day` })
}

export async function listRequests(core: Core, userId: number): Promise<ConnectionRequest[]> {
  return (await store.listRequests(core.db, userId)).map(toRequest)
}

/**
 * Accepts or rejects a request; answers the direct conversation's id, or null on a rejection. 404, 409
 * `already_answered`.
 */
export async function respondToRequest(
  core: Core,
  userId: number,
  connectionId: number,
  action: 'accept' | 'reject',
): Promise<number | null> {
  const answered = await core.db.transaction(async (tx) => {
    const connection = await findLocked(tx, connectionId)
    if (connection?.recipientId !== userId || !(await people.findPerson(tx, connection.requesterId)))
      throw new AppError('not_found')
    if (connection.status !== 'pending') return 'repeated'
    if (action === 'accept')
      return { requesterId: connection.requesterId, conversationId: await accept(tx, connection) }
    await store.updateConnection(tx, connectionId, {
      status: 'rejected',
      rejectedAt: new Date(core.clock()),
    })
    return 'rejected'
  })
  tellCounters(core, userId)
  if (answered === 'repeated') throw new AppError('already_answered')
  if (answered === 'rejected') return null
  await tellAccepted(core, connectionId, answered.requesterId, userId, answered.conversationId)
  return answered.conversationId
}

/** Ends a connection, which either side may do, or withdraws a request. The conversation stays readable. */
export async function endConnection(core: Core, userId: number, connectionId: number): Promise<void> {
  const ended = await core.db.transaction(async (tx) => {
    const connection = await findLocked(tx, connectionId)
    if (connection?.requesterId !== userId && connection?.recipientId !== userId)
      throw new AppError('not_found')
    await store.updateConnection(tx, connectionId, { status: 'ended' })
    if (connection.conversationId !== null) await conversations.updateCanSend(tx, connection.conversationId)
    return connection
  })
  if (ended.status === 'ended') {
    const slot = `connection-end:${userId}:${connectionId}`
    const { state } = await core.rateSlots.take(slot, randomUUID(), core.config.chat.sendIntervalMs)
    if (state === 'refused') return
  }
  tellCounters(core, ended.recipientId)
  if (ended.conversationId !== null)
    tellConversation(core, ended.conversationId, [ended.requesterId, ended.recipientId])
}

/** A connection, locked until the transaction ends. */
async function findLocked(tx: Executor, connectionId: number): Promise<store.ConnectionRow | undefined> {
  const connection = await store.findConnection(tx, connectionId)
  if (!connection) return undefined
  await lockAlone(tx, LOCKS.pair(connection.requesterId, connection.recipientId))
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

/** Also called for repeated requests: the node that stored the first one may have died before it published. */
function tellCounters(core: Core, userId: number): void {
  core.bus.publish(`user:${userId}`, { kind: 'counters' })
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
  const person = await people.findPerson(core.db, accepterId)
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

export function toRequest(row: {
  id: number
  fromId: number
  fromName: string
  createdAt: Date
}): ConnectionRequest {
  return {
    conn_id: row.id,
    from_id: row.fromId,
    from_name: row.fromName,
    created_at: row.createdAt.toISOString(),
  }
}
