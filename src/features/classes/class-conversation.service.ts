import { GROUP_SIZE } from '../../../schemas/chat.schemas.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import { record } from '../audit/audit.service.ts'
import {
  insertOwnerlessGroup,
  refreshMembers,
  replaceMembers,
  type TellGroup,
} from '../chat/conversations/class-groups.service.ts'
import { lockTaughtClass } from './class-access.service.ts'
import * as members from './class-members.store.ts'
import * as store from './classes.store.ts'

/**
 * Makes the members of the class's group, if it has one, those of the class. Call it in the transaction that has locked
 * the class and changed its members. A class that has outgrown its group keeps the first of its members there.
 */
export async function followMembers(
  core: Core,
  tx: Executor,
  { id, conversationId }: Pick<store.ClassRow, 'id' | 'conversationId'>,
): Promise<TellGroup> {
  if (conversationId === null) return () => {}
  return replaceMembers(core, tx, conversationId, await members.listFirstMemberIds(tx, id, GROUP_SIZE))
}

/** Has the members of the class's group read it again: whom of each other they see has changed. */
export async function refreshConversation(
  core: Core,
  tx: Executor,
  { conversationId }: Pick<store.ClassRow, 'conversationId'>,
): Promise<TellGroup> {
  return conversationId === null ? () => {} : refreshMembers(core, tx, conversationId)
}

/**
 * The class's group, made if there is none yet, for its teachers: an administrator would not be in it. 409 `too_many`
 * for a class that doesn't fit into one.
 */
export async function openConversation(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
): Promise<{ id: number; isNew: boolean }> {
  const { tell, ...opened } = await core.db.transaction(async (tx) => {
    const row = await lockTaughtClass(tx, { ...viewer, isAdmin: false }, classId)
    if (row.conversationId !== null) return { id: row.conversationId, isNew: false }
    if ((await members.countMembers(tx, classId)) > GROUP_SIZE)
      throw new AppError('too_many', { message: `A group has at most ${GROUP_SIZE} people` })
    const id = await insertOwnerlessGroup(tx, row.name)
    await store.updateClass(tx, classId, { conversationId: id })
    await record(tx, actor, {
      action: 'class.conversation',
      subject: ['class', classId],
      summary: `The class has the conversation ${id}`,
    })
    return { id, isNew: true, tell: await followMembers(core, tx, { id: classId, conversationId: id }) }
  })
  tell?.()
  return opened
}
