import type { Counters } from '../../../../schemas/chat.ts'
import type { Core } from '../../../core.ts'
import { batched } from '../../../db/batches.ts'
import { perNode } from '../../../per-node.ts'
import * as store from './store.ts'

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
    async run(userIds): Promise<Counters[]> {
      const asked = userIds.map((userId) => ({ userId, conversationId: undefined }))
      const rows = new Map((await store.listCounters(core.db, asked)).map((row) => [row.userId, row]))
      return userIds.map((userId) => {
        const { unread = 0, requests = 0 } = rows.get(userId) ?? {}
        return { unread, requests }
      })
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

/** Unread messages and pending requests of one person. */
export function countersOf(core: Core, userId: number): Promise<Counters> {
  return countersShared(core)(userId)
}

/** The same for many people at once; where a conversation is named, with its unread messages too. */
export function listCounters(
  core: Core,
  asked: { userId: number; conversationId: number | undefined }[],
): Promise<store.CountersRow[]> {
  return store.listCounters(core.db, asked)
}
