import type { Core } from '../../../core.ts'
import { batched } from '../../../db/batches.ts'
import { perNode } from '../../../per-node.ts'
import * as store from './sending.store.ts'

/** Most repeats that share one look-up. */
const AT_ONCE = 250

/** Sends that run on this node now, by sender and `client_id`. */
const underWayOf = perNode(() => new Map<string, Promise<unknown>>())

/** Many repeats of one send share one reading of the stored message. */
const firstsShared = perNode((core) =>
  batched({
    lanes: 2,
    size: AT_ONCE,
    key: ({ senderId }: store.NamedSend) => senderId,
    async run(asked): Promise<(store.StoredSend | undefined)[]> {
      const sends = new Map(asked.map((send) => [nameSend(send), send]))
      const rows = await store.listMessagesByClientIds(core.db, [...sends.values()])
      const firsts = new Map(rows.filter(({ isMember }) => isMember).map((row) => [nameSend(row), row]))
      return asked.map((send) => firsts.get(nameSend(send)))
    },
  }),
)

/**
 * The message that is stored under this `client_id`, unless its sender is no longer in the conversation: it would tell
 * who has reacted there since.
 */
export function findFirst(core: Core, send: store.NamedSend): Promise<store.StoredSend | undefined> {
  return firstsShared(core)(send)
}

/**
 * The stored message of a send that may be a repeat. If the first send is still running on this node, it waits for its
 * end, so that the repeat takes no place in a lane. If none is running and no repeat is expected, it reads nothing.
 */
export async function findEarlier(
  core: Core,
  send: store.NamedSend,
  isExpected: boolean,
): Promise<store.StoredSend | undefined> {
  const earlier = underWayOf(core).get(nameSend(send))
  // The caller of the first send gets its error.
  await earlier?.catch(() => {})
  return earlier || isExpected ? findFirst(core, send) : undefined
}

/** Registers a send as running until it ends. */
export async function whileUnderWay<T>(core: Core, send: store.NamedSend, work: Promise<T>): Promise<T> {
  const underWay = underWayOf(core)
  const name = nameSend(send)
  underWay.set(name, work)
  try {
    return await work
  } finally {
    if (underWay.get(name) === work) underWay.delete(name)
  }
}

export function nameSend({ senderId, clientId }: store.NamedSend): string {
  return `${senderId} ${clientId}`
}
