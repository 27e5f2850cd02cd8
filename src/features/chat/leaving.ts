import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import * as store from './leaving-store.ts'

/** Who has to be told that somebody left. */
export interface Departure {
  /** Conversations that they were in, with the version that their leaving took. */
  left: store.LeftRow[]
  /** People whose pending requests went with them. */
  asked: number[]
}

/**
 * Takes somebody out of chat, before their account is deleted in the same transaction. Direct conversations
 * keep their shape, with the ghost account as the other person, and can't be sent to; groups go on without
 * them, under their longest-standing member. What they wrote stays, under the ghost's name, also where
 * replies quote it. `tellLeft` after the commit.
 */
export async function leaveAll(tx: Executor, userId: number): Promise<Departure> {
  const left = await store.takeVersionsOfAll(tx, userId)
  await store.replaceByGhost(tx, userId)
  await store.deleteMemberships(tx, userId)
  await store.disownMessages(tx, userId)
  return { left, asked: await store.deleteConnectionsOf(tx, userId) }
}

export function tellLeft(core: Core, { left, asked }: Departure): void {
  for (const { id, version } of left) core.bus.publish(`conversation:${id}`, { kind: 'members', version })
  for (const userId of asked) core.bus.publish(`user:${userId}`, { kind: 'counters' })
}
