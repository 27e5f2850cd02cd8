import { setTimeout } from 'node:timers/promises'
import type { Push } from '../../adapters/push.ts'
import type { KeyPair } from '../../adapters/push-encryption.ts'
import type { Core } from '../../core.ts'
import { batched, HELD } from '../../db/batches.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { getKey } from './push.service.ts'
import * as store from './push-sending.store.ts'
import { toPushText } from './push-texts.ts'

/** Pushes that one node sends at once, and of one person at once: some devices never answer. */
const MOST_AT_ONCE = 128
const MOST_OF_ONE = 8
/**
 * Between two pushes of one node: encrypting and sending one takes about a millisecond, and whatever people wait for
 * goes on between them.
 */
const PAUSE_MS = 2
/** While others are being sent, fewer than this are not worth a statement. */
const FEWEST_AT_ONCE = MOST_AT_ONCE / 2
/**
 * Pushes that were sent and are let go in one statement: each alone would commit ten thousand times after one release.
 */
const SETTLED_AT_ONCE = 500
/** How long a node has for a push that it took: then another one takes it. Longer than the push service has. */
const LEASE_MS = 20_000
/** Tries after the first one. */
const MOST_RETRIES = 5
/** The pause before the first of them, if the push service names none; each later one is longer by this factor. */
const FIRST_PAUSE_MS = 10_000
const PAUSE_FACTOR = 4
const LONGEST_PAUSE_MS = DAY_MS
/** How often to look again whether a locked exam has ended. */
const LOCKED_PAUSE_MS = 15_000
/** A subscription to which nothing could be sent for this long is removed. */
const FAILING_MS = 7 * DAY_MS

/** Sends the pushes of one node that are due, many at once. */
export class PushSender {
  readonly #core: Core
  readonly #push: Push
  /** What is being sent, and to whom. */
  readonly #running = new Map<Promise<void>, number>()
  readonly #settleTaken: (push: store.TakenPush) => Promise<void>
  #closed = false

  constructor(core: Core, push: Push) {
    this.#core = core
    this.#push = push
    this.#settleTaken = batched({
      lanes: 1,
      size: SETTLED_AT_ONCE,
      key: ({ subscriptionId }) => subscriptionId,
      run: async (pushes) => {
        const settled = await store.settleTaken(core.db, pushes, new Date(core.clock()))
        return settled.map((isSettled) => (isSettled ? undefined : HELD))
      },
    })
  }

  /** Takes what is due and what there is room for, and begins to send it. */
  async begin(): Promise<void> {
    const core = this.#core
    while (!this.#closed && MOST_AT_ONCE - this.#running.size >= FEWEST_AT_ONCE) {
      const now = core.clock()
      const room = { most: MOST_AT_ONCE - this.#running.size, each: MOST_OF_ONE, busy: this.#findBusy() }
      const taken = await store.takeDue(core.db, new Date(now), new Date(now + LEASE_MS), room)
      if (taken.length === 0) return
      const [key, facts, active] = await Promise.all([
        getKey(core.db),
        store.listFacts(core.db, taken, new Date(now)),
        core.presence.active([...new Set(taken.map(({ userId }) => userId))]),
      ])
      const known = new Map(facts.map((fact) => [nameOf(fact), fact]))
      for (const push of taken) {
        this.#start(push, known.get(nameOf(push)), active.get(push.userId), key)
        await setTimeout(PAUSE_MS)
      }
    }
  }

  /** The people of whom no more is taken for now. */
  #findBusy(): number[] {
    const ofEach = Map.groupBy(this.#running.values(), (userId) => userId)
    return [...ofEach].flatMap(([userId, { length }]) => (length < MOST_OF_ONE ? [] : userId))
  }

  /** Begins nothing more; resolves when what has begun has ended. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#running.keys())
  }

  #start(
    push: store.TakenPush,
    facts: store.PushFacts | undefined,
    activeMs: number | undefined,
    key: KeyPair,
  ): void {
    const work = this.#settle(push, facts, activeMs, key)
      .catch((error: unknown) =>
        // Whoever takes it next tries it again.
        this.#core.log.warn({ err: error }, 'a push could not be sent'),
      )
      .finally(() => this.#running.delete(work))
    this.#running.set(work, push.userId)
  }

  async #settle(
    push: store.TakenPush,
    facts: store.PushFacts | undefined,
    activeMs: number | undefined,
    key: KeyPair,
  ): Promise<void> {
    const { db, clock } = this.#core
    const now = clock()
    if (!facts) return store.deletePush(db, push, new Date(now))
    const pauseMs = Math.max(activeMs ?? 0, facts.isLocked ? LOCKED_PAUSE_MS : 0)
    if (pauseMs > 0) return store.postpone(db, push, new Date(now + pauseMs), push.failures)
    const { endpoint, p256dh, auth } = facts
    const text = JSON.stringify(toPushText(push, facts))
    const urgency = push.kind === 'message' ? 'high' : 'normal'
    const outgoing = { endpoint, p256dh, auth, text, topic: push.topic, urgency } as const
    const outcome = await this.#push.send(outgoing, key, now)
    await this.#note(push, endpoint, outcome)
  }

  async #note(
    push: store.TakenPush,
    endpoint: string,
    outcome: Awaited<ReturnType<Push['send']>>,
  ): Promise<void> {
    const { db, clock, log } = this.#core
    const { subscriptionId } = push
    const now = new Date(clock())
    if (outcome.state === 'taken') return this.#settleTaken(push)
    log.info({ outcome: outcome.state, push_status: outcome.status }, 'a push service did not take a push')
    if (outcome.state === 'gone') return store.deleteGone(db, subscriptionId, endpoint)
    // Noted first: whoever sees that the push is settled sees that its subscription fails.
    await store.noteFailed(db, subscriptionId, now, new Date(now.getTime() - FAILING_MS))
    const failures = push.failures + 1
    if (outcome.state === 'refused' || failures > MOST_RETRIES) await store.deletePush(db, push, now)
    else {
      const pauseMs = outcome.afterMs ?? FIRST_PAUSE_MS * PAUSE_FACTOR ** push.failures
      const until = now.getTime() + Math.min(pauseMs, LONGEST_PAUSE_MS)
      await store.postpone(db, push, new Date(until), failures)
    }
  }
}

function nameOf({ subscriptionId, topic }: { subscriptionId: number; topic: string }): string {
  return `${subscriptionId} ${topic}`
}
