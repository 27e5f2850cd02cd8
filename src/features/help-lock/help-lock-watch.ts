import { setTimeout as sleep } from 'node:timers/promises'
import type { Core } from '../../core.ts'
import { perNode } from '../../per-node.ts'
import { listLocks } from './help-lock.service.ts'
import type { HelpLock } from './help-lock.store.ts'

type LocksListener = (locks: readonly HelpLock[]) => void

const NO_LOCKS: readonly HelpLock[] = []

interface Follower {
  listener: LocksListener
  /** What the listener was told last. */
  locks: readonly HelpLock[]
}

/** One per node. */
export const helpWatchOf = perNode((core) => new HelpWatch(core))

/**
 * Knows whose help is locked, among the people that are followed on this node. It reads the database after each event
 * and from time to time, so a lost event only delays it. There is one read at a time, and each one begins after the
 * event that caused it, so the last read has the newest state.
 */
export class HelpWatch {
  readonly #core: Core
  readonly #followed = new Map<number, Set<Follower>>()
  /** The people to look up in the next read. */
  #due: Set<number> | 'everybody' = new Set()
  #next: Promise<void> | undefined
  #reading: Promise<void> = Promise.resolve()

  constructor(core: Core) {
    this.#core = core
    core.bus.subscribe('help', ({ userIds }) => {
      const here = userIds?.filter((id) => this.#followed.has(id))
      if (!here || here.length > 0) this.#hint(here)
    })
    core.bus.onResync(() => this.#hint(undefined))
  }

  /**
   * Calls the listener after each read that finds other locks of the person than it was told of. A new listener
   * counts as told of no locks. Answers a function that ends this.
   */
  follow(userId: number, listener: LocksListener): () => void {
    const followers = this.#followed.get(userId) ?? new Set()
    this.#followed.set(userId, followers)
    const follower: Follower = { listener, locks: NO_LOCKS }
    followers.add(follower)
    return () => {
      followers.delete(follower)
      if (followers.size === 0) this.#followed.delete(userId)
    }
  }

  /** Resolves once the locks of these people, or of everybody who is followed, have been read. */
  look(userIds?: number[]): Promise<void> {
    if (userIds === undefined) this.#due = 'everybody'
    else if (this.#due !== 'everybody') for (const id of userIds) this.#due.add(id)
    this.#next ??= this.#reading.then(() => {
      const due = this.#due
      this.#due = new Set()
      this.#next = undefined
      const reading = this.#read(due)
      const rest = () => sleep(due === 'everybody' ? 0 : this.#core.gate.gatherMs())
      this.#reading = reading.then(rest, () => {})
      return reading
    })
    return this.#next
  }

  #hint(userIds: number[] | undefined): void {
    // The next periodic read tries again.
    this.look(userIds).catch((error: unknown) =>
      this.#core.log.warn({ err: error }, 'help locks were not read'),
    )
  }

  async #read(due: Set<number> | 'everybody'): Promise<void> {
    if (this.#followed.size === 0) return
    // Those who come during the read wait for the next one: what this one finds may be older than they are.
    const userIds = due === 'everybody' ? this.#followed.keys() : due
    const followers = [...userIds].flatMap((userId) =>
      [...(this.#followed.get(userId) ?? [])].map((follower) => ({ userId, follower })),
    )
    const locks = await listLocks(this.#core, due === 'everybody' ? undefined : [...due])
    const locksOf = Map.groupBy(locks, ({ userId }) => userId)
    for (const { userId, follower } of followers) {
      if (!this.#followed.get(userId)?.has(follower)) continue
      const current = locksOf.get(userId) ?? NO_LOCKS
      const isSame = nameLocks(current) === nameLocks(follower.locks)
      follower.locks = current
      if (!isSame) follower.listener(current)
    }
  }
}

function nameLocks(locks: readonly HelpLock[]): string {
  return locks
    .map(({ examId }) => examId)
    .sort((one, other) => one - other)
    .join()
}
