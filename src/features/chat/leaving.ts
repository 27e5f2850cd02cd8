import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import * as store from './leaving-store.ts'

/** Who has to be told that somebody left. */
export interface Departure {
  /** People whose pending requests went with them. */
  asked: number[]
}

/**
 * Takes somebody out of every conversation, before their account is deleted in the same transaction. Direct
 * conversations keep their shape, with the ghost account as the other side; groups lose the member. Their
 * messages stay, under the ghost's name, also where replies quote it. `tellLeft` after the commit.
 */
export async function leaveAll(tx: Executor, userId: number): Promise<Departure> {
  await store.lockConversationsOf(tx, userId)
  await store.anonymiseMessages(tx, userId)
  await store.replaceInDirectConversations(tx, userId)
  await store.leaveGroups(tx, userId)
  return { asked: await store.deleteConnectionsOf(tx, userId) }
}

export function tellLeft(core: Core, { asked }: Departure): void {
  for (const userId of asked) core.bus.publish(`user:${userId}`, { kind: 'counters' })
}
