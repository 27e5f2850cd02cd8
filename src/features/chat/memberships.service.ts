import type { Counters } from '../../../schemas/chat.schemas.ts'
import type { Core } from '../../core.ts'
import { batched } from '../../db/batches.ts'
import { perNode } from '../../per-node.ts'
import { readUnlocked } from '../help-lock/help-lock.service.ts'
import * as store from './memberships.store.ts'

/** People whose reads share one statement, when many sockets connect at the same time. */
const PEOPLE_AT_ONCE = 250

const membershipsShared = perNode((core) =>
  batched({
    lanes: 2,
    size: PEOPLE_AT_ONCE,
    key: (userId: number) => userId,
    async run(userIds): Promise<store.Membership[][]> {
      const rows = Map.groupBy(await store.listMemberships(core.db, userIds), ({ userId }) => userId)
      return userIds.map((userId) => rows.get(userId) ?? [])
    },
  }),
)

const countersShared = perNode((core) =>
  batched({
    lanes: 2,
    size: PEOPLE_AT_ONCE,
    key: (userId: number) => userId,
    async run(userIds): Promise<store.CountersRow[]> {
      const asked = [...new Set(userIds)].map((userId) => ({ userId, conversationId: undefined }))
      const rows = new Map((await store.listCounters(core.db, asked)).map((row) => [row.userId, row]))
      return userIds.map((userId) => rows.get(userId) as store.CountersRow)
    },
  }),
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
  return toCounters(await countersShared(core)(userId))
}

/** The same for somebody whose help may be locked: 403 `exam_in_progress` then. */
export async function getCounters(core: Core, userId: number): Promise<Counters> {
  const read = () => countersShared(core)(userId)
  return toCounters(await readUnlocked(core, userId, read, ({ isLocked }) => !isLocked))
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
