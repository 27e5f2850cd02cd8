import type { Core } from '../../core.ts'
import { ALL_BEFORE } from '../../db/tables/sign-in.tables.ts'
import { every } from '../../scheduling/periodic.ts'
import type { LiveSessions, RevokedListener } from '../../tokens/live-sessions.ts'
import { type Claims, TOKEN_LIFETIME_SECONDS } from '../../tokens/tokens.ts'
import * as store from './auth.store.ts'

/** How long a revocation is needed: the longest lifetime of a token, plus time for clocks that differ. */
export const REMEMBERED_SECONDS = Math.max(...Object.values(TOKEN_LIFETIME_SECONDS)) + 600
/** How long a transaction may take between writing a revocation and committing it. */
const OVERLAP_SECONDS = 30
const POLL_MS = 500
const RELOAD_MS = 600_000

/**
 * Keeps all revocations of live tokens in memory. They are read at the start and then polled by one indexed query; an
 * event on the bus makes a node read them at once.
 */
export async function watchSessions(core: Omit<Core, 'sessions' | 'nodes'>): Promise<LiveSessions> {
  const listeners: RevokedListener[] = []
  let minGenerations = new Map(await store.listRevocations(core.db, REMEMBERED_SECONDS))
  // The clock of this process: times of the database are only compared within the database.
  let loadedAt = performance.now()

  async function load(): Promise<void> {
    const started = performance.now()
    const sinceLast = (started - loadedAt) / 1_000
    const newer = await store.listRevocations(core.db, sinceLast + OVERLAP_SECONDS)
    for (const [sessionId, minGeneration] of newer) {
      if ((minGenerations.get(sessionId) ?? 0) >= minGeneration) continue
      minGenerations.set(sessionId, minGeneration)
      for (const listener of listeners) listener(sessionId, minGeneration)
    }
    loadedAt = started
  }

  /** Reads all of them again, which drops those that no live token needs. */
  async function reload(): Promise<void> {
    await load()
    minGenerations = new Map(await store.listRevocations(core.db, REMEMBERED_SECONDS))
  }

  const polling = every(POLL_MS, 'reading revocations', load, core.log)
  const reloading = every(RELOAD_MS, 'reading all revocations', reload, core.log)
  const subscription = core.bus.subscribe('revocations', () => polling.soon())

  function isValid({ sessionId, generation }: Claims): boolean {
    return (
      sessionId > (minGenerations.get(ALL_BEFORE) ?? 0) && generation >= (minGenerations.get(sessionId) ?? 0)
    )
  }

  return {
    isValid,
    onRevoked: (listener) => void listeners.push(listener),
    async close() {
      subscription.close()
      await Promise.all([polling.close(), reloading.close()])
    },
  }
}
