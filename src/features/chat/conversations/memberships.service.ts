import type { Counters } from '../../../../schemas/chat.schemas.ts'
import type { Core } from '../../../core.ts'
import { batchedByPerson } from '../../../db/batches.ts'
import { only } from '../../../db/query.ts'
import { perNode } from '../../../per-node.ts'
import { readUnlocked } from '../../help-lock/help-lock.service.ts'
import * as store from './memberships.store.ts'

const membershipsShared = perNode((core) =>
  batchedByPerson(core, (userIds) => store.listMemberships(core.db, userIds)),
)

const countersShared = perNode((core) =>
  batchedByPerson(core, (userIds) =>
    store.listCounters(
      core.db,
      userIds.map((userId) => ({ userId, conversationId: undefined })),
    ),
  ),
)

/**
 * Tells people that they became members of a conversation, or that their view of it changed. Also called for repeated
 * requests: the node that stored the first one may have died before it published.
 */
export function tellConversation(core: Core, conversationId: number, userIds: number[]): void {
  for (const userId of userIds) core.bus.publish(`user:${userId}`, { kind: 'conversation', conversationId })
}

/** The conversations that somebody is in, with their versions. */
export function membershipsOf(core: Core, userId: number): Promise<store.Membership[]> {
  return membershipsShared(core)(userId)
}

export function listNewMemberships(core: Core, userIds: number[], withinSeconds: number) {
  return store.listNewMemberships(core.db, userIds, withinSeconds)
}

/** Those of these conversations whose version is newer than the known one, with the newer version. */
export async function listNewerVersions(core: Core, known: { id: number; version: number }[]) {
  return known.length === 0 ? [] : store.listNewerVersions(core.db, known)
}

export function listEndedMutes(core: Core, since: string | undefined) {
  return store.listEndedMutes(core.db, since)
}

/** Unread messages and pending requests of one person. */
export async function countersOf(core: Core, userId: number): Promise<Counters> {
  return toCounters(await readCounters(core, userId))
}

/** Unread messages and pending requests of one person; 403 `exam_in_progress` if their help is locked. */
export async function getCounters(core: Core, userId: number): Promise<Counters> {
  const read = () => readCounters(core, userId)
  return toCounters(await readUnlocked(core, userId, read, ({ isLocked }) => !isLocked))
}

async function readCounters(core: Core, userId: number): Promise<store.CountersRow> {
  return only(await countersShared(core)(userId))
}

function toCounters({ unread, unreadAll, requests, mentions }: store.CountersRow): Counters {
  return { unread, unread_all: unreadAll, requests, mentions }
}

/** The counters of many people at once; where a conversation is named, with its unread messages too. */
export function listCounters(
  core: Core,
  asked: { userId: number; conversationId: number | undefined }[],
): Promise<store.CountersRow[]> {
  return store.listCounters(core.db, asked)
}
