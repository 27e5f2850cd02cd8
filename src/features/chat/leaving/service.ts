import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/client.ts'
import * as store from './store.ts'

/** Who has to be told that somebody left. */
export interface Departure {
  /** Conversations that they were in, with the version that their leaving took. */
  left: store.LeftRow[]
  /** People whose pending requests went with them. */
  asked: number[]
}

/**
 * Takes somebody who deleted their account out of chat, at most `limit` rows at a time: answers how many, fewer once
 * nothing is left. Direct conversations keep their shape, with the ghost account as the other person, and can't be
 * sent to; groups go on without them, under their longest-standing member; what nobody else is in goes. What they
 * wrote stays, under the ghost's name, also where replies quote it. What there is to tell, by `tellLeft` after the
 * commit, is added to `departure`.
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
