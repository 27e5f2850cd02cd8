import type { ChatUser } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import { LOCKS, lockAlone } from '../../../db/locks.ts'
import { AppError } from '../../../errors.ts'
import { updateCanSend } from '../conversations/conversations.store.ts'
import { tellConversation } from '../conversations/memberships.service.ts'
import * as connections from './connections.store.ts'
import * as store from './people.store.ts'

/** Most people in the answer to a search. */
const FOUND = 20

/** People whose names contain a text. */
export async function searchUsers(core: Core, userId: number, text: string): Promise<ChatUser[]> {
  const rows = await store.searchPeople(core.db, userId, text, FOUND)
  const online = await core.presence.online(rows.filter(({ isVisible }) => isVisible).map(({ id }) => id))
  return rows.map(({ id, username, fullName, connectionStatus, connectionId }) => ({
    id,
    username,
    full_name: fullName,
    online: online.has(id),
    connection_status: connectionStatus === 'ended' ? null : connectionStatus,
    conn_id: connectionId,
  }))
}

/** Which people of this person's conversations are online. A block between two people hides both from each other. */
export async function statusOfPeers(core: Core, userId: number): Promise<Record<string, boolean>> {
  const [peers] = await store.listPeers(core.db, [userId])
  if (!peers) return {}
  const online = await core.presence.online(peers.visibleIds)
  return Object.fromEntries([...peers.visibleIds, ...peers.hiddenIds].map((id) => [id, online.has(id)]))
}

/**
 * For each of these people, everybody in their conversations, or in one conversation, between whom and them there is
 * no block: each sees the other's presence.
 */
export async function listVisiblePeers(
  core: Core,
  userIds: number[],
  conversationId?: number,
): Promise<Map<number, number[]>> {
  const rows = await store.listPeers(core.db, userIds, conversationId)
  const visible = new Map(rows.map(({ userId, visibleIds }) => [userId, visibleIds]))
  return new Map(userIds.map((userId) => [userId, visible.get(userId) ?? []]))
}

export async function listBlocked(core: Core, userId: number) {
  const rows = await store.listBlocked(core.db, userId)
  return rows.map(({ id, username, fullName }) => ({ id, username, full_name: fullName }))
}

/** Blocks somebody: no more requests or direct messages between the two, and neither sees the other's presence. */
export async function block(core: Core, userId: number, blockedId: number): Promise<void> {
  if (blockedId === userId) throw new AppError('not_found')
  const connection = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.pair(userId, blockedId))
    if (!(await store.findPerson(tx, blockedId))) throw new AppError('not_found')
    await store.insertBlock(tx, userId, blockedId)
    const found = await connections.findPair(tx, userId, blockedId)
    if (found?.status === 'pending')
      await connections.updateConnection(tx, found.id, {
        status: found.requesterId === blockedId ? 'rejected' : 'ended',
      })
    if (found?.conversationId) await updateCanSend(tx, found.conversationId)
    return found
  })
  core.bus.publish(`user:${userId}`, { kind: 'counters' })
  // The other one isn't told of the block, but that a request has gone.
  if (connection?.status === 'pending') core.bus.publish(`user:${blockedId}`, { kind: 'counters' })
  const conversationId = connection?.conversationId
  if (conversationId) tellConversation(core, conversationId, [userId, blockedId])
  const [peers] = await store.listPeers(core.db, [userId])
  if (peers?.hiddenIds.includes(blockedId)) tellPresence(core, userId, blockedId, new Set())
}

/** Ends a block; does nothing without one. */
export async function unblock(core: Core, userId: number, blockedId: number): Promise<void> {
  const conversationId = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.pair(userId, blockedId))
    await store.deleteBlock(tx, userId, blockedId)
    const connection = await connections.findPair(tx, userId, blockedId)
    if (connection?.conversationId) await updateCanSend(tx, connection.conversationId)
    return connection?.conversationId
  })
  if (conversationId) tellConversation(core, conversationId, [userId, blockedId])
  const peers = await listVisiblePeers(core, [userId])
  if (peers.get(userId)?.includes(blockedId))
    tellPresence(core, userId, blockedId, await core.presence.online([userId, blockedId]))
}

/** Tells each of two people whether the other is online. */
function tellPresence(core: Core, one: number, other: number, online: ReadonlySet<number>): void {
  for (const [userId, told] of [
    [one, other],
    [other, one],
  ] as const)
    core.bus.publish('presence', { kind: 'presence', userId, online: online.has(userId), audience: [told] })
}
