import { atom } from 'nanostores'
import type { Client } from '../index.ts'

const TYPING_MS = 5_000

/** Who is online and who is typing. */
export class Presence {
  /** By user id; people without an entry are not known to be online. */
  readonly $online = atom<Readonly<Record<number, boolean>>>({})
  /** Who is typing, by conversation. */
  readonly $typing = atom<Readonly<Record<number, readonly number[]>>>({})
  readonly #client: Client
  /** Changes since the newest read of everybody's presence began: they are newer than its answer. */
  #since: Record<number, boolean> = {}
  readonly #timers = new Map<string, () => void>()

  constructor(client: Client) {
    this.#client = client
  }

  async read(): Promise<void> {
    this.#since = {}
    const since = this.#since
    const { data } = await this.#client.GET('/api/v01/chat/presence')
    // Meanwhile a newer read may have begun, or the person may have signed out.
    if (data && since === this.#since) this.$online.set({ ...data.status, ...since })
  }

  take(userId: number, isOnline: boolean): void {
    this.#since[userId] = isOnline
    this.$online.set({ ...this.$online.get(), [userId]: isOnline })
  }

  type(conversationId: number, userId: number): void {
    this.quiet(conversationId, userId)
    this.#setTyping(conversationId, (who) => [...who, userId])
    const stop = this.#client.platform.after(TYPING_MS, () => this.quiet(conversationId, userId))
    this.#timers.set(`${conversationId} ${userId}`, stop)
  }

  /** Somebody has stopped typing, or their message has arrived. */
  quiet(conversationId: number, userId: number): void {
    const key = `${conversationId} ${userId}`
    if (!this.#timers.has(key)) return
    this.#timers.get(key)?.()
    this.#timers.delete(key)
    this.#setTyping(conversationId, (who) => who.filter((each) => each !== userId))
  }

  clear(): void {
    for (const stop of this.#timers.values()) stop()
    this.#timers.clear()
    this.#since = {}
    this.$online.set({})
    this.$typing.set({})
  }

  #setTyping(conversationId: number, change: (who: readonly number[]) => readonly number[]): void {
    const typing = this.$typing.get()
    this.$typing.set({ ...typing, [conversationId]: change(typing[conversationId] ?? []) })
  }
}
