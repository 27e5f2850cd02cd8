import { atom, type ReadableAtom } from 'nanostores'
import { exchange, NO_ANSWER, type WriteRequest } from '../http/exchange.ts'
import { type JsonAnswer, TOO_LARGE } from '../http/request.ts'
import type { Client } from '../index.ts'
import type { Channel } from '../platform.ts'
import { cachesOf, type Owner } from '../session/session.ts'
import { fullJitter } from '../socket/backoff.ts'
import type { Storage, StorageState } from '../storage/storage.ts'
import { openChannel } from '../tabs.ts'

/** The pause after a refusal that ends at some time, such as with an exam, without a frame that reports it. */
const LOCKED_MS = 30_000
/** The client's own word for an entry of which no request can be made. */
const UNUSABLE = 'unusable'
/** After these a change can never be made, whatever it is. Any other refusal may end, or isn't the service's own. */
const REFUSALS = [
  UNUSABLE,
  'validation_failed',
  'invalid_request',
  'invalid_json',
  'unsupported_media_type',
  'payload_too_large',
  'not_found',
  'too_many',
]
/** A proxy that has refused a form this often as too large won't let it through. */
const MOST_TOO_LARGE = 5
/** How often a store that failed is tried again. */
const STORE_AGAIN_MS = 5_000

export type SendState = 'queued' | 'sending' | 'sent' | 'failed'

export interface OutboxEntry<T> {
  /** The service recognises a repetition by it, so that nothing is done twice. */
  id: string
  item: T
  createdAt: string
  state: SendState
  /** Why it failed: a code of the service, or `unusable`. */
  error?: string
  /** Why the latest try failed, after which there are others: `unreachable`, a code, or an error of the platform. */
  fault?: string
  /** The service's answer, once it is sent. */
  answer?: unknown
}

export interface OutboxOptions<T> {
  /** Names it among the account's outboxes. */
  name: string
  /** Changes of one lane are made in the order in which they were added; lanes don't wait for each other. */
  lane(item: T): string
  /** The request. It has to be harmless to make it twice, which `id` is for. If it throws, it can never be made. */
  change(item: T, id: string): WriteRequest
  /** Further codes of the service after which it can never be made. */
  refusals?: readonly string[]
  /** Whether a success is about it; left out: each one is. */
  isAnswer?(answer: JsonAnswer['body']): boolean
  /** What is left of an entry after this answer, as a further request; left out, or undefined: nothing. */
  rest?(item: T, answer: JsonAnswer['body']): T | undefined
  /** Whether a sent entry is no longer needed. */
  isSettled(entry: OutboxEntry<T>): boolean
  /**
   * Another tab has sent an entry or discarded it, and it can't be told which: it counts as sent, without an answer, until
   * this resolves. Left out: it is gone at once.
   */
  whenKnown?(item: T): Promise<unknown> | undefined
}

/** `entry` null: it was discarded. `isStored`: it is in the store, as long as nobody has discarded it. */
interface OutboxMessage<T> {
  key: string
  entry: OutboxEntry<T> | null
  isStored: boolean
}

/**
 * Changes of one person that are not made yet, from all tabs, in the order in which they were added. Each is stored
 * before `add` returns. The leading tab makes them as this person, one after another, waits for each answer, and
 * repeats with the same id: so none is lost, made twice, or overtaken by a later one of its lane. A logout ends them.
 */
export class Outbox<T> {
  readonly #shown = atom<readonly OutboxEntry<T>[]>([])
  readonly $entries: ReadableAtom<readonly OutboxEntry<T>[]> = this.#shown
  readonly #client: Client
  readonly #owner: Owner
  readonly #options: OutboxOptions<T>
  readonly #prefix: string
  readonly #entries = new Map<string, OutboxEntry<T>>()
  /** The keys of entries that are in the store. */
  readonly #stored = new Set<string>()
  /** The keys of entries that are being stored: they are sent after that. */
  readonly #storing = new Set<string>()
  /** The keys of entries that were changed here since they were stored: they are newer than what the store has. */
  readonly #newer = new Set<string>()
  #lastStored: Promise<void> = Promise.resolve()
  /** What is to be deleted from the store: entries as they were last, null if they were discarded. */
  readonly #leftOver = new Map<string, OutboxEntry<T> | null>()
  /** Lanes that wait for another try, and how many have failed in a row. */
  readonly #waits = new Map<string, () => void>()
  readonly #faults = new Map<string, number>()
  /** How often each entry was too large for somebody on the way, by key. */
  readonly #tooLarge = new Map<string, number>()
  readonly #tabs: Channel
  /** What was stored has been read once, or that has failed. */
  readonly ready: Promise<void>
  #isRestored = false
  readonly #stops: (() => void)[]
  #cancelStore: (() => void) | undefined
  #lastTime = 0
  #isSending = false
  /** Ends the request of an entry. */
  readonly #running = new Map<string, AbortController>()
  #isClosed = false

  constructor(client: Client, owner: Owner, options: OutboxOptions<T>) {
    this.#client = client
    this.#owner = owner
    this.#options = options
    this.#prefix = `${cachesOf(owner)}${options.name}/`
    const channel = `exam-practice:${client.baseUrl}:${this.#prefix}`
    const hear = (told: unknown) => this.#hear(told as OutboxMessage<T>)
    this.#tabs = openChannel(client.platform, channel, hear, () => {
      this.#isRestored = false
      void this.#store()
    })
    this.ready = this.#store()
    this.#stops = [
      client.live.$leads.subscribe(() => this.flush()),
      client.platform.atEnd(() => this.close()),
    ]
  }

  /**
   * Resolves once it is decided where the entry is: `durable` on this machine, or only in this page (`memory`, `full`)
   * until it is sent.
   */
  async add(item: T): Promise<{ id: string; storage: StorageState }> {
    await this.ready
    const { platform } = this.#client
    const id = platform.uuid()
    // Always increases, even if the clock is set back.
    this.#lastTime = Math.max(this.#lastTime + 1, Math.floor(platform.now()))
    const key = `${this.#prefix}${String(this.#lastTime).padStart(15, '0')}-${id}`
    const createdAt = new Date(platform.now()).toISOString()
    const storage = await this.#keep(key, { id, item, createdAt, state: 'queued' })
    return { id, storage }
  }

  /** Puts a failed entry back into the queue, at its old place; changed, if so wished. */
  async retry(id: string, change: (item: T) => T = (item) => item): Promise<void> {
    const [key, entry] = this.#find(id) ?? []
    if (!key || entry?.state !== 'failed') return
    const { error: _, item, ...again } = entry
    await this.#keep(key, { ...again, item: change(item), state: 'queued' })
    this.flush()
  }

  /**
   * Removes an entry; if it is being sent, the service may have done it. It is gone for good if this resolves with
   * `durable` or `memory`. With `full` the store has failed to remove it, which is tried again: until then the entry
   * comes back if all tabs that know of it end.
   */
  async discard(id: string): Promise<StorageState> {
    const [key] = this.#find(id) ?? []
    if (key) {
      this.#entries.delete(key)
      this.#show()
      this.#running.get(key)?.abort()
      await this.#unstore(key, null)
    }
    return this.#where(!key || !this.#leftOver.has(key))
  }

  /** Removes sent entries that are settled by now. */
  settle(): void {
    if ([...this.#entries.values()].some(({ state }) => state === 'sent')) this.#show()
  }

  /** Sends at once what waits for another try, if this tab leads. */
  flush(): void {
    for (const cancel of this.#waits.values()) cancel()
    this.#waits.clear()
    void this.#send()
  }

  close(): void {
    this.#isClosed = true
    for (const cancel of this.#waits.values()) cancel()
    this.#cancelStore?.()
    for (const stop of this.#stops) stop()
    this.#tabs.close()
    this.#shown.set([])
  }

  async #send(): Promise<void> {
    await this.ready
    if (this.#isSending) return
    this.#isSending = true
    try {
      for (let next = this.#next(); next; next = this.#next()) await this.#sendOne(next[0])
    } finally {
      this.#isSending = false
    }
  }

  #next(): [string, OutboxEntry<T>] | undefined {
    if (this.#isClosed || !this.#client.live.$leads.get()) return undefined
    return [...this.#entries].find(
      ([key, { state, item }]) =>
        (state === 'queued' || state === 'sending') &&
        !this.#storing.has(key) &&
        !this.#waits.has(this.#options.lane(item)),
    )
  }

  async #sendOne(key: string): Promise<void> {
    const isGone = await this.#isGone(key)
    // While this tab was suspended another one may have taken over, and sent it.
    const [next, found] = this.#next() ?? []
    if (next !== key || !found) return
    const { fault: _, ...entry } = found
    if (isGone) {
      this.#lose(key)
      this.#show()
      return
    }
    this.#change(key, { ...entry, state: 'sending' })
    const lane = this.#options.lane(entry.item)
    const abort = new AbortController()
    this.#running.set(key, abort)
    const answer = await this.#exchange(key, entry, abort.signal)
    this.#running.delete(key)
    // Another tab may have taken over meanwhile.
    const now = this.#entries.get(key)
    if (this.#isClosed || !now || isSent(now)) return
    const { refusals = [], isAnswer, rest } = this.#options
    const { code } = answer.body
    const isRefused = [...REFUSALS, ...refusals].includes(code)
    const isDone = answer.status !== NO_ANSWER && answer.status < 300 && isAnswer?.(answer.body) !== false
    if (now.state === 'sent' && !isDone) return
    if (!isRefused && !isDone) this.#wait(lane, key, entry, answer)
    else {
      this.#faults.delete(lane)
      if (isRefused) await this.#keep(key, { ...entry, state: 'failed', error: code })
      else {
        const item = rest?.(entry.item, answer.body)
        if (item) return void (await this.#keep(key, { ...entry, item, state: 'queued' }))
        const sent: OutboxEntry<T> = { ...entry, state: 'sent', answer: answer.body }
        this.#entries.set(key, sent)
        this.#show()
        await this.#unstore(key, sent)
      }
    }
  }

  async #exchange(key: string, { item, id }: OutboxEntry<T>, signal: AbortSignal): Promise<JsonAnswer> {
    const fail = (code: string): JsonAnswer => ({ status: 400, body: { code }, retryAfter: undefined })
    let change: WriteRequest
    try {
      change = this.#options.change(item, id)
    } catch {
      return fail(UNUSABLE)
    }
    const answer = await exchange(this.#client, this.#owner, change, signal)
    if (answer.status !== TOO_LARGE || !(change.body instanceof FormData)) return answer
    const times = (this.#tooLarge.get(key) ?? 0) + 1
    this.#tooLarge.set(key, times)
    return times < MOST_TOO_LARGE ? answer : fail('payload_too_large')
  }

  #wait(lane: string, key: string, entry: OutboxEntry<T>, answer: JsonAnswer): void {
    const { platform, diagnostics } = this.#client
    const faults = (this.#faults.get(lane) ?? 0) + 1
    this.#faults.set(lane, faults)
    diagnostics.note('outbox.wait', faults)
    const again = () => {
      this.#waits.delete(lane)
      void this.#send()
    }
    const { status, body } = answer
    const isTurn = status === 429
    const isLocked = status !== NO_ANSWER && status < 500 && !isTurn
    const atLeast = answer.retryAfter ?? (isLocked ? LOCKED_MS : 0)
    // What waits for this person's own turn doesn't meet others who come back at the same time.
    this.#waits.set(
      lane,
      platform.after(atLeast + (isTurn && atLeast > 0 ? 0 : fullJitter(platform, faults)), again),
    )
    if (this.#client.live.$leads.get())
      this.#change(key, { ...entry, state: 'queued', fault: String(body.code ?? status) })
  }

  /** Another tab may have discarded or sent it while this one was suspended. */
  async #isGone(key: string): Promise<boolean> {
    if (!this.#stored.has(key)) return !this.#entries.has(key)
    const stored = await this.#client.storage.get(key).catch(() => true)
    return stored === undefined || !this.#entries.has(key)
  }

  async #keep(key: string, entry: OutboxEntry<T>): Promise<StorageState> {
    this.#storing.add(key)
    this.#newer.add(key)
    this.#stored.delete(key)
    this.#entries.set(key, entry)
    this.#show()
    await this.#store()
    return this.#where(this.#stored.has(key))
  }

  #where(isStored: boolean): StorageState {
    const state = this.#client.storage.$state.get()
    return isStored || state === 'memory' ? state : 'full'
  }

  #store(): Promise<void> {
    this.#lastStored = this.#lastStored.then(() => this.#storeRest())
    return this.#lastStored
  }

  #storeLater(): void {
    this.#cancelStore?.()
    if (!this.#isClosed)
      this.#cancelStore = this.#client.platform.after(STORE_AGAIN_MS, () => void this.#store())
  }

  /**
   * Stores what isn't stored yet, in order, up to the first failure: else a later entry could be sent before an earlier
   * one. The leading tab is told of each, as it may be a new one; and of those that were read: it may have sent them.
   */
  async #storeRest(): Promise<void> {
    const isNew = !this.#isRestored
    let isWorking = !isNew || (await this.#restore())
    for (const [key, last] of this.#leftOver) {
      isWorking &&= await this.#try((storage) => storage.delete(key))
      if (!isWorking) break
      this.#leftOver.delete(key)
      // Once more: a tab that has just been opened may have read it in between.
      this.#tell(key, last)
    }
    for (const [key, entry] of [...this.#entries]) {
      const isStored = this.#stored.has(key)
      if (this.#isClosed || (isStored && !isNew) || entry.state === 'sent') continue
      if (isWorking && !isStored) {
        const stored: OutboxEntry<T> = entry.state === 'sending' ? { ...entry, state: 'queued' } : entry
        this.#newer.delete(key)
        isWorking = await this.#try((storage) => storage.set(key, stored))
        if (!isWorking) this.#newer.add(key)
        // It may have been changed once more meanwhile.
        if (!this.#newer.has(key)) this.#stored.add(key)
      }
      this.#storing.delete(key)
      const latest = this.#entries.get(key)
      if (latest) this.#tell(key, latest)
      // It was discarded meanwhile.
      else if (this.#stored.has(key)) void this.#unstore(key, null)
    }
    if (!isWorking) this.#storeLater()
    this.#show()
    void this.#send()
  }

  async #try(work: (storage: Storage) => Promise<void>): Promise<boolean> {
    const { storage, diagnostics } = this.#client
    return work(storage).then(
      () => true,
      () => {
        diagnostics.note('outbox.not_kept')
        return false
      },
    )
  }

  #unstore(key: string, last: OutboxEntry<T> | null): Promise<void> {
    this.#stored.delete(key)
    this.#tell(key, last)
    this.#leftOver.set(key, last)
    return this.#store()
  }

  /** It is gone from the store: another tab has sent or discarded it. Who knows which says so. */
  #lose(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    const { id, item, createdAt } = entry
    const gone: OutboxEntry<T> = { id, item, createdAt, state: 'sent' }
    this.#entries.set(key, gone)
    this.#tell(key, gone)
    const forget = () => {
      if (this.#entries.get(key) === gone) this.#entries.delete(key)
    }
    const known = this.#options.whenKnown?.(gone.item)
    if (!known) forget()
    else
      void known.then(() => {
        forget()
        this.#show()
      })
  }

  #change(key: string, entry: OutboxEntry<T>): void {
    this.#entries.set(key, entry)
    this.#show()
    this.#tell(key, entry)
  }

  #tell(key: string, entry: OutboxEntry<T> | null): void {
    this.#tabs.post({ key, entry, isStored: this.#stored.has(key) } satisfies OutboxMessage<T>)
  }

  #hear({ key, entry, isStored }: OutboxMessage<T>): void {
    const own = this.#entries.get(key)
    const last = own && isSent(own) ? own : this.#leftOver.get(key)
    if (last !== undefined && last !== entry && !(entry && isSent(entry))) {
      // What was sent or discarded stays so, whatever another tab knew.
      this.#tell(key, last)
      return
    }
    if (entry?.state === 'sent' && !isSent(entry)) {
      if (own && own.state !== 'sent') this.#lose(key)
    } else if (entry) this.#entries.set(key, entry)
    else if (own || !this.#isRestored) {
      this.#entries.delete(key)
      this.#running.get(key)?.abort()
      // The tab that has discarded it may end before the store removes it.
      this.#leftOver.set(key, null)
      this.#storeLater()
    }
    if (isStored) this.#stored.add(key)
    else this.#stored.delete(key)
    // The tab that has it may be gone by then, or have heard too late that it was sent.
    if (entry && !(own && isStored)) {
      this.#isRestored = false
      this.#storeLater()
    }
    this.#comeAfter(key)
    this.#show()
    if (entry?.state === 'queued') void this.#send()
  }

  /** Takes over what is stored, and drops what is not any more; false if that can't be read. */
  async #restore(): Promise<boolean> {
    const before = [...this.#stored]
    const kept = await this.#client.storage.list(this.#prefix).catch(() => undefined)
    if (!kept || this.#isClosed) return false
    this.#isRestored = true
    const keys = new Set(kept.map(([key]) => key))
    for (const key of before) {
      if (keys.has(key)) continue
      this.#stored.delete(key)
      // Sent ones aren't stored any more.
      if (this.#entries.get(key)?.state !== 'sent') this.#lose(key)
    }
    for (const [key, entry] of kept) {
      if (this.#leftOver.has(key) || this.#newer.has(key)) continue
      this.#stored.add(key)
      const stored = entry as OutboxEntry<T>
      const own = this.#entries.get(key)
      const isNewer = own && (isSent(own) || (own.state === 'sending' && stored.state !== 'failed'))
      if (!isNewer) this.#entries.set(key, stored)
      this.#comeAfter(key)
    }
    this.#show()
    return true
  }

  /** What is added from now on gets later keys than this one. */
  #comeAfter(key: string): void {
    this.#lastTime = Math.max(this.#lastTime, Number(key.slice(this.#prefix.length).split('-')[0]))
  }

  #find(id: string): [string, OutboxEntry<T>] | undefined {
    return [...this.#entries].find(([, entry]) => entry.id === id)
  }

  #show(): void {
    const sorted = [...this.#entries].sort(([one], [other]) => (one < other ? -1 : 1))
    this.#entries.clear()
    for (const [key, entry] of sorted)
      if (!isSent(entry) || !this.#options.isSettled(entry)) this.#entries.set(key, entry)
    if (!this.#isClosed) this.#shown.set([...this.#entries.values()])
  }
}

/** One without an answer was sent or discarded by another tab. */
function isSent({ state, answer }: OutboxEntry<unknown>): boolean {
  return state === 'sent' && answer !== undefined
}
