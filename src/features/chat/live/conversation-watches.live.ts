import type { Core } from '../../../core.ts'
import type { People, Person } from '../../../gateway/person.ts'
import { every, type Periodic } from '../../../scheduling/periodic.ts'
import { listNewerVersions, listNewMemberships, membershipsOf } from '../conversations/memberships.service.ts'
import { ConversationWatch, type WatchListener } from './conversation-watch.live.ts'
import type { PresenceUpdates } from './presence.live.ts'
import type { CounterUpdates } from './unread-counters.live.ts'

/** How often the watched conversations are compared with the database. */
const CHECK_MS = 5_000
/**
 * How far back that check looks for new members. It is longer than `CHECK_MS`, because checks fail while the database
 * is away.
 */
const NEW_MEMBERSHIP_SECONDS = 120

/** The conversations of everybody who has a socket on this node, and the regular check for missed changes. */
export class ConversationWatches {
  readonly #core: Core
  readonly #people: People
  readonly #counters: CounterUpdates
  readonly #watches = new Map<number, ConversationWatch>()
  readonly #watchesOf = new Map<Person, Set<ConversationWatch>>()
  readonly #listener: WatchListener
  readonly #checking: Periodic
  #busWasAway = false

  constructor(core: Core, people: People, counters: CounterUpdates, presence: PresenceUpdates) {
    this.#core = core
    this.#people = people
    this.#counters = counters
    this.#listener = {
      countersChanged: (person, conversationId) => counters.changed(person, conversationId),
      admitted: (person, conversationId) => presence.introduce(person, conversationId),
      left: (person, watch) => this.#unwatch(person, watch),
    }
    this.#checking = every(CHECK_MS, 'checking for missed changes', () => this.#check(), core.log)
    core.bus.onResync(() => {
      this.#busWasAway = true
      this.#checking.soon()
    })
  }

  /** Resolves once all changes of this person's conversations will reach them. */
  async arrive(person: Person): Promise<void> {
    this.#watchesOf.set(person, new Set())
    await this.#watchAll(person)
  }

  /**
   * Makes sure that every later change of these conversations reaches this person. It has to end before their client
   * is told any version: a change between that version and the first delivery would be missed. False: it was so
   * already.
   */
  async follow(person: Person, conversationIds: number[]): Promise<boolean> {
    const isDelivered = (id: number) => this.#watches.get(id)?.deliversTo(person)
    if (conversationIds.every(isDelivered)) return false
    await this.#watchAll(person)
    await Promise.all([...(this.#watchesOf.get(person) ?? [])].map(({ settled }) => settled))
    return true
  }

  /** Resolves when the changes of a conversation up to this version have been delivered, also those not told yet. */
  async catchUp(conversationId: number, version: number): Promise<void> {
    const watch = this.#watches.get(conversationId)
    if (!watch || watch.version >= version) return
    watch.catchUpTo(version)
    await watch.settled
  }

  leave(person: Person): void {
    const watches = this.#watchesOf.get(person)
    this.#watchesOf.delete(person)
    for (const watch of watches ?? []) this.#unwatch(person, watch)
  }

  /** For somebody who became a member, or whose view of the conversation changed. */
  async admit(person: Person, conversationId: number): Promise<void> {
    const watch = this.#watch(person, conversationId)
    await watch.listening
    if (watch.holders.has(person)) watch.admit(person)
  }

  close(): void {
    void this.#checking.close()
  }

  /**
   * Watches all conversations that this person is in, and no others. It first subscribes and then reads the versions,
   * so that no change is missed in between.
   */
  async #watchAll(person: Person): Promise<void> {
    for (const { id } of await membershipsOf(this.#core, person.userId)) this.#watch(person, id)
    const watches = [...(this.#watchesOf.get(person) ?? [])]
    await Promise.all(watches.map(({ listening }) => listening))

    const memberships = await membershipsOf(this.#core, person.userId)
    const versions = new Map(memberships.map(({ id, version }) => [id, version]))
    for (const watch of watches) {
      const version = versions.get(watch.id)
      // Their last socket may have closed, or they have left the conversation.
      if (!watch.holders.has(person)) continue
      if (version === undefined) watch.admit(person)
      else watch.join(person, version)
    }
  }

  /**
   * Delivers changes whose events were lost, because the publishing node died or the bus was away. After an outage of
   * the bus, memberships are read anew as well, and clients are asked to `resume`.
   */
  async #check(): Promise<void> {
    const people = this.#people.all()
    if (!this.#busWasAway) {
      const newer = await listNewerVersions(this.#core, [...this.#watches.values()])
      const versions = new Map(newer.map(({ id, version }) => [id, version]))
      for (const watch of [...this.#watches.values()])
        watch.catchUpTo(versions.get(watch.id) ?? watch.version)
      await this.#admitNewMembers(people)
      return
    }
    this.#busWasAway = false
    try {
      await Promise.all(people.map((person) => this.#watchAll(person)))
    } catch (error) {
      this.#busWasAway = true
      throw error
    }
    for (const person of people) {
      this.#counters.changed(person)
      for (const connection of person.connections) connection.send({ type: 'resync' })
    }
  }

  /** Finds new members whose event was lost. */
  async #admitNewMembers(people: readonly Person[]): Promise<void> {
    const userIds = people.map(({ userId }) => userId)
    const joined = await listNewMemberships(this.#core, userIds, NEW_MEMBERSHIP_SECONDS)
    for (const { userId, conversationId } of joined) {
      const person = this.#people.find(userId)
      if (person && !this.#watches.get(conversationId)?.holders.has(person))
        void this.admit(person, conversationId)
    }
  }

  #watch(person: Person, conversationId: number): ConversationWatch {
    let watch = this.#watches.get(conversationId)
    if (!watch) {
      watch = new ConversationWatch(this.#core, conversationId, this.#listener)
      this.#watches.set(conversationId, watch)
    }
    watch.holders.add(person)
    const own = this.#watchesOf.get(person)
    // Their last socket may have closed meanwhile.
    if (own) own.add(watch)
    else this.#unwatch(person, watch)
    return watch
  }

  #unwatch(person: Person, watch: ConversationWatch): void {
    this.#watchesOf.get(person)?.delete(watch)
    watch.drop(person)
    watch.holders.delete(person)
    if (watch.holders.size > 0 || this.#watches.get(watch.id) !== watch) return
    this.#watches.delete(watch.id)
    watch.close()
  }
}
