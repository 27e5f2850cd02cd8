import { setImmediate } from 'node:timers/promises'
import type { Core } from '../../../core.ts'
import { encodeFrame } from '../../../gateway/frame.ts'
import type { People, Person } from '../../../gateway/person.ts'
import { every, type Periodic } from '../../../scheduling/periodic.ts'
import { listVisiblePeers } from '../connections/people.service.ts'

/** Pause before the next try when the database could not be read. */
const RETRY_MS = 1_000
/** People whose presence is read and told in one step; other work runs between the steps. */
const AT_ONCE = 100
/** Pause after several were told at once: while many come, their peers get what comes next in one write. */
const REST_MS = 100

/** Tells people which of their peers came online or went offline (docs/protocol/realtime.md#presence). */
export class PresenceUpdates {
  readonly #core: Core
  readonly #due = new Set<number>()
  readonly #telling: Periodic
  /** Runs while nobody is told. */
  #rest: NodeJS.Timeout | undefined

  constructor(core: Core, people: People) {
    this.#core = core
    this.#telling = every(RETRY_MS, 'telling presence', () => this.#tell(), core.log)
    core.bus.subscribe('presence', ({ userId, online, audience }) => {
      const { key, frame } = encodePresence(userId, online)
      for (const id of audience)
        for (const connection of people.find(id)?.connections ?? []) connection.writeLatest(key, frame)
    })
    core.presence.onChange((userId) => this.#tellSoon(userId))
  }

  close(): void {
    clearTimeout(this.#rest)
    void this.#telling.close()
  }

  /** Tells a new member of a conversation who is online there, and the others that this person is. */
  introduce(person: Person, conversationId: number): void {
    this.#introduce(person, conversationId).catch((error: unknown) => {
      this.#core.log.warn({ err: error, conversation_id: conversationId }, 'presence could not be told')
    })
  }

  async #introduce(person: Person, conversationId: number): Promise<void> {
    const { userId } = person
    const peers = (await listVisiblePeers(this.#core, [userId], conversationId)).get(userId) ?? []
    const online = await this.#core.presence.online(peers)
    for (const peerId of online) {
      const { key, frame } = encodePresence(peerId, true)
      for (const connection of person.connections) connection.writeLatest(key, frame)
    }
    this.#tellSoon(userId)
  }

  #tellSoon(userId: number): void {
    this.#due.add(userId)
    if (!this.#rest) this.#telling.soon()
  }

  /**
   * Reads the presence at the moment of telling it, and once more after it: another node may have told a change in
   * between, to be followed by what was read before it. So the last frame that anybody gets is right.
   */
  async #tell(): Promise<void> {
    const userIds = [...this.#due].slice(0, AT_ONCE)
    if (userIds.length === 0) return
    for (const userId of userIds) this.#due.delete(userId)
    try {
      const audiences = await listVisiblePeers(this.#core, userIds)
      const online = await this.#core.presence.online(userIds)
      for (const [userId, audience] of audiences)
        this.#core.bus.publish('presence', {
          kind: 'presence',
          userId,
          online: online.has(userId),
          audience,
        })
      // By then it has been sent.
      await setImmediate()
      const after = await this.#core.presence.online(userIds)
      for (const userId of userIds) if (after.has(userId) !== online.has(userId)) this.#due.add(userId)
    } catch (error) {
      for (const userId of userIds) this.#due.add(userId)
      throw error
    }
    if (userIds.length > 1) this.#rest = setTimeout(() => this.#goOn(), REST_MS).unref()
    else this.#goOn()
  }

  #goOn(): void {
    this.#rest = undefined
    if (this.#due.size > 0) this.#telling.soon()
  }
}

function encodePresence(userId: number, online: boolean) {
  return { key: `presence:${userId}`, frame: encodeFrame({ type: 'presence', user_id: userId, online }) }
}
