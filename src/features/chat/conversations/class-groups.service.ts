import { GROUP_SIZE } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { lockConversation, takeVersion } from './conversations.store.ts'
import * as store from './groups.store.ts'
import { tellConversation } from './memberships.service.ts'

/** Publishes what has changed in a group; call it after the commit. */
export type TellGroup = () => void

/** Makes a group that is nobody's own and counts as made by nobody; it has no members yet. */
export function insertOwnerlessGroup(tx: Executor, name: string): Promise<number> {
  return store.insertGroup(tx, name, null)
}

/** Has everybody in a group read its members again. */
export async function refreshMembers(core: Core, tx: Executor, conversationId: number): Promise<TellGroup> {
  const version = await takeVersion(tx, conversationId, 'members')
  return () => core.bus.publish(`conversation:${conversationId}`, { kind: 'members', version })
}

/** Makes a group's members these, or the first of them that fit into it. */
export async function replaceMembers(
  core: Core,
  tx: Executor,
  conversationId: number,
  userIds: readonly number[],
): Promise<TellGroup> {
  await lockConversation(tx, conversationId)
  const present = new Set(await store.listGroupMemberIds(tx, conversationId))
  const wanted = new Set(userIds.slice(0, GROUP_SIZE))
  const gone = [...present].filter((id) => !wanted.has(id))
  for (const id of gone) await store.deleteMember(tx, conversationId, id)
  const missing = [...wanted].filter((id) => !present.has(id))
  const added = await store.insertMembers(tx, conversationId, missing)
  if (gone.length + added.length === 0) return () => {}
  const version = await takeVersion(tx, conversationId, 'members')
  return () => {
    core.bus.publish(`conversation:${conversationId}`, { kind: 'members', version })
    tellConversation(core, conversationId, added)
  }
}
