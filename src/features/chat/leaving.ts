import type { Core } from '../../core.ts'
import type { Executor } from '../../db/client.ts'
import * as store from './leaving-store.ts'

/** Conversations that somebody left, to be told by `tellLeft` once the transaction has committed. */
export type Left = store.LeftRow[]

/**
 * Takes a person out of chat before their account is deleted, in the same transaction. Direct conversations
 * keep their shape, with the ghost account as the other person, and can't be sent to; groups go on without
 * them, under their longest-standing member. What they wrote becomes the ghost's.
 */
export async function leaveAll(tx: Executor, userId: number): Promise<Left> {
  const left = await store.takeVersionsOfAll(tx, userId)
  await store.replaceByGhost(tx, userId)
  await store.deleteMemberships(tx, userId)
  await store.disownMessages(tx, userId)
  return left
}

/** Lets the people who stay know. */
export function tellLeft(core: Core, left: Left): void {
  for (const { id, version } of left) core.bus.publish(`conversation:${id}`, { kind: 'members', version })
}
