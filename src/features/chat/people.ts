import type { ChatUser } from '../../../schemas/chat.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { updateCanSend } from './conversations-store.ts'
import * as store from './people-store.ts'

/** People that one search answers. */
const FOUND = 20

/** People by a part of their names; `%` and `_` stand for themselves. */
export async function searchUsers(core: Core, userId: number, text: string): Promise<ChatUser[]> {
  const rows = await store.searchPeople(core.db, userId, text, FOUND)
  const online = await core.presence.online(rows.filter(({ visible }) => visible).map(({ id }) => id))
  return rows.map(({ id, username, full_name, connection_status, conn_id }) => ({
    id,
    username,
    full_name,
    online: online.has(id),
    connection_status: connection_status === 'ended' ? null : connection_status,
    conn_id,
  }))
}

/** Who is online of those that this person shares a conversation with; somebody blocked, by whichever side, is not. */
export async function statusOfPeers(core: Core, userId: number): Promise<Record<string, boolean>> {
  const peers = await store.listPeers(core.db, [userId])
  const visible = peers.filter((peer) => peer.visible).map(({ peer_id }) => peer_id)
  const online = await core.presence.online(visible)
  return Object.fromEntries(peers.map(({ peer_id }) => [peer_id, online.has(peer_id)]))
}

/** For each of these people, those who see their presence and whose presence they see: in one conversation, or in all. */
export async function listVisiblePeers(
  core: Core,
  userIds: number[],
  conversationId?: number,
): Promise<Map<number, number[]>> {
  const peers = await store.listPeers(core.db, userIds, conversationId)
  const visible = Map.groupBy(
    peers.filter((peer) => peer.visible),
    ({ user_id }) => user_id,
  )
  return new Map(userIds.map((userId) => [userId, (visible.get(userId) ?? []).map(({ peer_id }) => peer_id)]))
}

export function listBlocked(core: Core, userId: number) {
  return store.listBlocked(core.db, userId)
}

/** No more requests or direct messages from this person, and no presence between the two. 404. */
export async function block(core: Core, userId: number, blockedId: number): Promise<void> {
  if (blockedId === userId) throw new AppError('not_found')
  const conversationId = await core.db.transaction(async (tx) => {
    await store.lockPair(tx, userId, blockedId)
    if (!(await store.findPerson(tx, blockedId))) throw new AppError('not_found')
    await store.insertBlock(tx, userId, blockedId)
    const connection = await store.findPair(tx, userId, blockedId)
    if (connection?.status === 'pending' && connection.requesterId === blockedId)
      await store.updateConnection(tx, connection.id, { status: 'rejected' })
    if (connection?.conversationId) await updateCanSend(tx, connection.conversationId)
    return connection?.conversationId
  })
  core.bus.publish(`user:${userId}`, { kind: 'counters' })
  tellBoth(core, userId, blockedId, conversationId)
  tellPresence(core, userId, blockedId, new Set())
}

/** The end of a block; without one it is fine as well. */
export async function unblock(core: Core, userId: number, blockedId: number): Promise<void> {
  const conversationId = await core.db.transaction(async (tx) => {
    await store.lockPair(tx, userId, blockedId)
    await store.deleteBlock(tx, userId, blockedId)
    const connection = await store.findPair(tx, userId, blockedId)
    if (connection?.conversationId) await updateCanSend(tx, connection.conversationId)
    return connection?.conversationId
  })
  tellBoth(core, userId, blockedId, conversationId)
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

/** What they may do in their direct conversation has changed, and whether they see each other there. */
function tellBoth(core: Core, one: number, other: number, conversationId: number | null | undefined): void {
  if (!conversationId) return
  for (const userId of [one, other])
    core.bus.publish(`user:${userId}`, { kind: 'conversation', conversationId })
}
