import { setTimeout } from 'node:timers/promises'
import type { Core } from '../../../core.ts'
import { accounts as measured } from '../../../measures.ts'
import { perNode } from '../../../per-node.ts'
import { type Departure, leaveSome, tellLeft } from '../../chat/leaving/service.ts'
import * as store from './store.ts'

/** Rows of one piece: other people's messages, likes and sends wait no longer than it takes. */
const PIECE_ROWS = 500
/** No further step of a piece begins after this. */
const PIECE_MS = 200
/** For so long a deletion waits for its erasure: an ordinary account is gone when it is answered. */
const PATIENCE_MS = 2_000
/** Before another look where a request of theirs is still under way, or another node erases. */
const HELD_MS = 50
/** Accounts that one sweep looks at. */
const SWEEP_SIZE = 100

/** Erases what deleted accounts leave behind, piece by piece: a transaction each, whichever node comes first. */
export interface Erasing {
  /** Goes on in the background where there is much. */
  erase(userId: number): Promise<void>
  /** What deletions have left over, on whichever node; a node may have died over it. */
  sweep(): Promise<void>
  /** Resolves when the pieces under way are done. */
  close(): Promise<void>
}

export const erasing = perNode((core): Erasing => {
  const closing = new AbortController()
  const underWay = new Map<number, Promise<void>>()

  function begin(userId: number, isPatient: boolean): Promise<void> {
    const work =
      underWay.get(userId) ??
      eraseAll(core, userId, isPatient, closing.signal)
        .catch((error) => core.log.warn({ err: error }, 'erasing a deleted account failed; trying again'))
        .finally(() => underWay.delete(userId))
    underWay.set(userId, work)
    return work
  }

  return {
    async erase(userId) {
      const patience = new AbortController()
      const enough = setTimeout(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => {})
      await Promise.race([begin(userId, true), enough])
      patience.abort()
    },
    async sweep() {
      for (const userId of await store.listDeleted(core.db, SWEEP_SIZE)) await begin(userId, false)
    },
    async close() {
      closing.abort()
      await Promise.all(underWay.values())
    },
  }
})

/** Stops where another node holds the account, unless it is patient. */
async function eraseAll(core: Core, userId: number, isPatient: boolean, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    const outcome = await erasePiece(core, userId)
    if (outcome === 'gone' || (outcome === 'held' && !isPatient)) return
    if (outcome === 'held') await setTimeout(HELD_MS)
  }
}

async function erasePiece(core: Core, userId: number): Promise<'more' | 'held' | 'gone'> {
  const departure: Departure = { left: [], asked: [] }
  const outcome = await core.db.transaction(async (tx) => {
    const hold = await store.holdDeleted(tx, userId)
    if (hold !== 'mine') return hold
    const began = performance.now()
    let room = PIECE_ROWS
    for (const step of [leaveSome(departure), ...store.STEPS]) {
      room -= await step(tx, userId, room)
      if (room <= 0 || performance.now() - began > PIECE_MS) return 'more'
    }
    await store.deleteUser(tx, userId)
    return 'erased'
  })
  tellLeft(core, departure)
  if (outcome !== 'erased') return outcome
  measured.erased.add()
  return 'gone'
}
