import type { Core } from '../../core.ts'
import { every } from '../../periodic.ts'
import { type Claims, TOKEN_LIFETIME, type TokenKind } from '../../tokens.ts'
import * as store from './store.ts'

/** Seconds for which a revocation matters: the longest token's life, plus room for clocks that differ. */
const REMEMBER = Math.max(...Object.values(TOKEN_LIFETIME)) + 600
/** Seconds that a transaction may take from writing a revocation to committing it. */
const OVERLAP = 30
const POLL_MS = 500
const SWEEP_MS = 600_000

type RevokedListener = (sessionId: number, minGeneration: number) => void

/**
 * Says of a token, without asking the database, who it speaks for. This node holds every revocation that
 * a live token could fall under: loaded at start, polled by one indexed query, hurried by the bus. So a
 * token is void on every node within a second of its session's end, with the bus away too.
 */
export interface LiveSessions {
  /** undefined unless the token is valid, of this kind, and its session stands. */
  verify(kind: TokenKind, token: string): Claims | undefined
  /** Whether what a token said when it was verified still holds. */
  stand(claims: Claims): boolean
  onRevoked(listener: RevokedListener): void
  close(): Promise<void>
}

export async function watchSessions(core: Core): Promise<LiveSessions> {
  const listeners: RevokedListener[] = []
  let minGenerations = new Map(await store.listRevocations(core.db, REMEMBER))
  // The process's own clock: the database's times are only ever compared within the database.
  let loadedAt = performance.now()

  async function load(): Promise<void> {
    const started = performance.now()
    const sinceLast = (started - loadedAt) / 1_000
    for (const [sessionId, minGeneration] of await store.listRevocations(core.db, sinceLast + OVERLAP)) {
      if ((minGenerations.get(sessionId) ?? 0) >= minGeneration) continue
      minGenerations.set(sessionId, minGeneration)
      for (const listener of listeners) listener(sessionId, minGeneration)
    }
    loadedAt = started
  }

  async function sweep(): Promise<void> {
    await store.deleteStale(core.db, new Date(core.clock()), REMEMBER)
    await load()
    minGenerations = new Map(await store.listRevocations(core.db, REMEMBER))
  }

  const polling = every(POLL_MS, 'reading revocations', load, core.log)
  const sweeping = every(SWEEP_MS, 'deleting old sessions', sweep, core.log)
  const subscription = core.bus.subscribe('revocations', () => polling.soon())

  function stand({ sessionId, generation }: Claims): boolean {
    return generation >= (minGenerations.get(sessionId) ?? 0)
  }

  return {
    verify(kind, token) {
      const claims = core.tokens.verify(kind, token)
      return claims && stand(claims) ? claims : undefined
    },
    stand,
    onRevoked: (listener) => void listeners.push(listener),
    async close() {
      subscription.close()
      await Promise.all([polling.close(), sweeping.close()])
    },
  }
}
