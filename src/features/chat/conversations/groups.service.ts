import { GROUP_SIZE } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { lockPerson } from '../../../db/locks.ts'
import { AppError } from '../../../errors.ts'
import { listUnconnected } from '../connections/connections.store.ts'
import { lockConversation, takeVersion } from './conversations.store.ts'
import * as store from './groups.store.ts'
import { tellConversation } from './memberships.service.ts'

// A group's owner is its longest-standing member: first the creator, and when the owner leaves, the next one.

/** Groups that one person may make. */
const MOST_GROUPS = 500
/** How many groups others may add one person to in a day. */
const MOST_ADDITIONS = 50

/**
 * Makes a group and answers its id. 400 `not_connected` with the `ids` of members who are not connected to the creator;
 * 409 `too_many` if the creator has too many groups, or with the `ids` of members who were added to too many groups
 * today.
 */
export async function createGroup(
  core: Core,
  creatorId: number,
  name: string,
  memberIds: number[],
): Promise<number> {
  const userIds = [creatorId, ...withoutSelf(creatorId, memberIds)]
  requireSize(userIds.length)
  const conversationId = await core.db.transaction(async (tx) => {
    await requireConnected(tx, creatorId, userIds.slice(1))
    await lockPerson(tx, creatorId)
    if ((await store.countGroupsMade(tx, creatorId)) >= MOST_GROUPS) throw new AppError('too_many')
    await countAdditions(core, tx, userIds.slice(1))
    const id = await store.insertGroup(tx, name, creatorId)
    await store.insertMembers(tx, id, userIds)
    return id
  })
  tellConversation(core, conversationId, userIds)
  return conversationId
}

/** 404, 403 `owner_only`. */
export async function renameGroup(
  core: Core,
  userId: number,
  conversationId: number,
  name: string,
): Promise<void> {
  await changeGroup(core, userId, conversationId, 'name', async (tx) => {
    await store.updateName(tx, conversationId, name)
    return true
  })
}

/** Adds people who are not in the group yet. 400 and 409 as for a new group. */
export async function addMembers(
  core: Core,
  userId: number,
  conversationId: number,
  memberIds: number[],
): Promise<void> {
  let added: number[] = []
  await changeGroup(core, userId, conversationId, 'members', async (tx, present) => {
    const wanted = withoutSelf(userId, memberIds).filter((id) => !present.includes(id))
    if (wanted.length === 0) return false
    requireSize(present.length + wanted.length)
    await requireConnected(tx, userId, wanted)
    await countAdditions(core, tx, wanted)
    added = await store.insertMembers(tx, conversationId, wanted)
    return true
  })
  tellConversation(core, conversationId, added)
}

/** The owner may remove anybody, other members only themselves. 404 for somebody who is not in the group. */
export async function removeMember(
  core: Core,
  userId: number,
  conversationId: number,
  memberId: number,
): Promise<void> {
  const what = memberId === userId ? 'own membership' : 'members'
  await changeGroup(core, userId, conversationId, what, async (tx) => {
    if (!(await store.deleteMember(tx, conversationId, memberId))) throw new AppError('not_found')
    return true
  })
  await store.deleteEmptyGroup(core.db, conversationId)
}

/**
 * Runs a change of a group under its lock, for its owner, or for any member who leaves. A class's group belongs to the
 * teachers, and its members are those of the class. The members are told unless `change` answers false: nothing has
 * changed.
 */
async function changeGroup(
  core: Core,
  userId: number,
  conversationId: number,
  what: 'name' | 'members' | 'own membership',
  change: (tx: Executor, memberIds: number[]) => Promise<boolean>,
): Promise<void> {
  const version = await core.db.transaction(async (tx) => {
    await lockConversation(tx, conversationId)
    const memberIds = await store.listGroupMemberIds(tx, conversationId)
    if (!memberIds.includes(userId)) throw new AppError('not_found')
    const teachers = await store.findTeachersOf(tx, conversationId)
    if (teachers && what !== 'name') throw new AppError('class_group')
    const owners = teachers ?? memberIds.slice(0, 1)
    if (what !== 'own membership' && !owners.includes(userId)) throw new AppError('owner_only')
    if (!(await change(tx, memberIds))) return undefined
    return takeVersion(tx, conversationId, 'members')
  })
  if (version !== undefined) core.bus.publish(`conversation:${conversationId}`, { kind: 'members', version })
}

async function requireConnected(tx: Executor, userId: number, otherIds: number[]): Promise<void> {
  const ids = await listUnconnected(tx, userId, otherIds)
  if (ids.length > 0)
    throw new AppError('not_connected', {
      status: 400,
      message: 'Members must be accepted connections',
      details: { ids },
    })
}

async function countAdditions(core: Core, tx: Executor, userIds: number[]): Promise<void> {
  const ids = await store.countAdditions(tx, userIds, {
    now: new Date(core.clock()),
    timezone: core.config.timezone,
    limit: MOST_ADDITIONS,
  })
  if (ids.length > 0)
    throw new AppError('too_many', {
      message: 'Somebody was put into as many groups today as others may put them into',
      details: { ids },
    })
}

function requireSize(people: number): void {
  if (people < 2 || people > GROUP_SIZE)
    throw new AppError('validation_failed', {
      message: `A group has 2 to ${GROUP_SIZE} people`,
      details: { errors: [{ path: '/member_ids', message: `must make 2 to ${GROUP_SIZE} people` }] },
    })
}

function withoutSelf(userId: number, ids: number[]): number[] {
  return [...new Set(ids)].filter((id) => id !== userId)
}
