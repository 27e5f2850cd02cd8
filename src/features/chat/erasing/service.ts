import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/client.ts'
import * as store from './store.ts'

/** Who has to be told about a deleted account. */
export interface Departure {
  /** Conversations that the person was in, with the version of their leaving. */
  left: store.LeftRow[]
  /** People who had a pending request of the person. */
  asked: number[]
}

/**
 * Takes somebody who deleted their account out of chat. One call changes at most `limit` rows and answers how many;
 * fewer than `limit` means that nothing is left. In direct conversations the ghost account takes their place, and
 * nobody can send there any more. Groups go on under their longest-standing member. Conversations without anybody else
 * are deleted. The person's messages stay under the ghost's name, also where replies quote them. What `tellLeft` has to
 * tell after the commit is added to the given departure.
 */
export function leaveSome({ left, asked }: Departure) {
  return async (tx: Executor, userId: number, limit: number): Promise<number> => {
    const connections = await store.deleteConnectionsOf(tx, userId, limit)
    asked.push(...connections.asked)
    let room = limit - connections.count
    if (room <= 0) return limit
    const shared = await store.lockShared(tx, userId, room)
    left.push(...(await store.leaveConversations(tx, userId, shared)))
    room -= shared.length
    if (room <= 0) return limit
    room -= await store.disownMessages(tx, userId, room)
    if (room <= 0) return limit
    room -= await store.deleteAbandoned(tx, userId, room)
    return limit - room
  }
}

export function tellLeft(core: Core, { left, asked }: Departure): void {
  for (const { id, version } of left) core.bus.publish(`conversation:${id}`, { kind: 'members', version })
  for (const userId of asked) core.bus.publish(`user:${userId}`, { kind: 'counters' })
}
