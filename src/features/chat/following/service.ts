import type { Counters } from '../../../../schemas/chat.ts'
import type { Core } from '../../../core.ts'
import { batched } from '../../../db/batches.ts'
import { perNode } from '../../../per-node.ts'
import * as store from './store.ts'

/** Sockets that come back at the same time ask together. */
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

/** The conversations that somebody is in and the version of each. */
export function membershipsOf(core: Core, userId: number): Promise<store.Membership[]> {
  return membershipsShared(core)(userId)
}

/** The conversations that these people have joined within the last seconds. */
export function listNewMemberships(core: Core, userIds: number[], withinSeconds: number) {
  return store.listNewMemberships(core.db, userIds, withinSeconds)
}

/** The conversations among these that have a newer version than the given one, with that version. */
export async function listAhead(core: Core, known: { id: number; version: number }[]) {
  return known.length === 0 ? [] : store.listAhead(core.db, known)
}

/** Unread messages and pending requests of one person. */
export function countersOf(core: Core, userId: number): Promise<Counters> {
  return countersShared(core)(userId)
}

/** The same for many people at once, each with one conversation's own if asked for. */
export function listCounters(
  core: Core,
  asked: { userId: number; conversationId: number | undefined }[],
): Promise<store.CountersRow[]> {
  return store.listCounters(core.db, asked)
}
