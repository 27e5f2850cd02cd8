import type { Core } from '../core.ts'
import { listVisiblePeers } from '../features/chat/people.ts'
import { every, type Periodic } from '../periodic.ts'
import { encodeFrame } from './frame.ts'
import type { Person } from './person.ts'

/** How soon it is tried again where somebody's audience could not be read. */
const RETRY_MS = 1_000

/** Tells people who of those that they share something with came and went (realtime.md, promise 3). */
export class PresenceUpdates {
  readonly #core: Core
  readonly #due = new Set<number>()
  readonly #telling: Periodic

  constructor(core: Core) {
    this.#core = core
    this.#telling = every(RETRY_MS, 'telling presence', () => this.#tell(), core.log)
    core.presence.onChange((userId) => {
      this.#due.add(userId)
      this.#telling.soon()
    })
  }

  close(): Promise<void> {
    return this.#telling.close()
  }

  /** Lets somebody and the others of a conversation that they came to know of each other. */
  async introduce(person: Person, conversationId: number): Promise<void> {
    const { userId } = person
    const peers = (await listVisiblePeers(this.#core, [userId], conversationId)).get(userId) ?? []
    const online = await this.#core.presence.online(peers)
    for (const peerId of online) showPresence(person, peerId, true)
    this.#core.bus.publish('presence', { kind: 'presence', userId, online: true, audience: peers })
  }

  /** What is told is how it is at that moment, so the last that anybody hears is true. */
  async #tell(): Promise<void> {
    const userIds = [...this.#due]
    if (userIds.length === 0) return
    this.#due.clear()
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
    } catch (error) {
      for (const userId of userIds) this.#due.add(userId)
      throw error
    }
  }
}

export function showPresence(person: Person, userId: number, online: boolean): void {
  const frame = encodeFrame({ type: 'presence', user_id: userId, online })
  for (const connection of person.connections) connection.writeLatest(`presence:${userId}`, frame)
}
