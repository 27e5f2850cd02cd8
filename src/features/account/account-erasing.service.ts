import { setTimeout } from 'node:timers/promises'
import type { Core } from '../../core.ts'
import { perNode } from '../../per-node.ts'
import { accounts as measured } from '../../telemetry/metrics.ts'
import { type Departure, leavingSteps, tellLeft } from '../chat/chat-erasing.service.ts'
import * as store from './account-erasing.store.ts'

/** Rows that one transaction changes at most: others wait for its locks. */
const PIECE_ROWS = 500
/** After this time a transaction begins no further step. */
const STEPS_MS = 200
/** How long a deletion waits until everything is erased, which is enough for an ordinary account. */
const PATIENCE_MS = 2_000
/** Pause before the next try while a request of this person, or another node, holds the account's row. */
const HELD_MS = 50
/** Most accounts that one sweep erases. */
const SWEEP_SIZE = 100

/** Erases the data of deleted accounts, in transactions of limited size. Several nodes may try; one at a time works. */
export interface Erasing {
  /** Returns when everything is erased, or after two seconds, and then goes on in the background. */
  erase(userId: number): Promise<void>
  /** Erases what is left of deleted accounts, for example because a node died. */
  sweep(): Promise<void>
  /** Resolves when the running transactions have ended. */
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

/** `isPatient`: waits while the account's row is held, rather than giving up. */
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
    for (const step of [...leavingSteps(departure), ...store.STEPS]) {
      room -= await step(tx, userId, room)
      if (room <= 0 || performance.now() - began > STEPS_MS) return 'more'
    }
    await store.deleteUser(tx, userId)
    return 'erased'
  })
  tellLeft(core, departure)
  if (outcome !== 'erased') return outcome
  measured.erased.inc()
  return 'gone'
}
