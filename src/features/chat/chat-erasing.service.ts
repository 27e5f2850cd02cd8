import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import * as store from './chat-erasing.store.ts'

/** Who has to be told about a deleted account. */
export interface Departure {
  /** Conversations that the person was in, or had reacted in, with the version of that change. */
  left: store.LeftRow[]
  /** People who had a pending request of the person. */
  asked: number[]
}

type LeavingStep = (tx: Executor, userId: number, limit: number) => Promise<number>

/**
 * The steps that take somebody who deleted their account out of chat. Each changes at most about `limit` rows and
 * answers how many; fewer than `limit` means that nothing is left for it. In direct conversations the ghost account
 * takes their place, and nobody can send there any more. Groups go on under their longest-standing member.
 * Conversations without anybody else are deleted. The person's messages stay under the ghost's name, also where replies
 * quote them; their reactions go. What `tellLeft` has to tell after the commit is added to the given departure.
 */
export function leavingSteps({ left, asked }: Departure): LeavingStep[] {
  return [
    async (tx, userId, limit) => {
      const connections = await store.deleteConnectionsOf(tx, userId, limit)
      asked.push(...connections.asked)
      return connections.count
    },
    async (tx, userId, limit) => {
      const shared = await store.lockShared(tx, userId, limit)
      left.push(...(await store.leaveConversations(tx, userId, shared)))
      return shared.length
    },
    store.disownMessages,
    async (tx, userId, limit) => {
      const reactions = await store.removeReactions(tx, userId, limit)
      left.push(...reactions.changed)
      return reactions.hasMore ? limit : reactions.count
    },
    store.deleteAbandoned,
  ]
}

export function tellLeft(core: Core, { left, asked }: Departure): void {
  for (const { id, version } of left) core.bus.publish(`conversation:${id}`, { kind: 'members', version })
  for (const userId of asked) core.bus.publish(`user:${userId}`, { kind: 'counters' })
}
