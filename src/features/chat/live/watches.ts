import type { Core } from '../../../core.ts'
import type { People, Person } from '../../../gateway/person.ts'
import { every, type Periodic } from '../../../periodic.ts'
import { listAhead, listNewMemberships, membershipsOf } from '../following/service.ts'
import type { CounterUpdates } from './counters.ts'
import type { PresenceUpdates } from './presence.ts'
import { ConversationWatch, type WatchListener } from './watch.ts'

/** How often the watched conversations are compared with the database. */
const CHECK_MS = 5_000
/** How far back such a check looks for people who came to a conversation: some may fail while the database is away. */
const NEW_MEMBERSHIP_SECONDS = 120

/** The conversations of everybody who has a socket here: who listens to which, and what they missed. */
export class ConversationWatches {
  readonly #core: Core
  readonly #people: People
  readonly #counters: CounterUpdates
  readonly #watches = new Map<number, ConversationWatch>()
  readonly #watchesOf = new Map<Person, Set<ConversationWatch>>()
  readonly #listener: WatchListener
  readonly #mending: Periodic
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
    this.#mending = every(CHECK_MS, 'mending what was missed', () => this.#mend(), core.log)
    core.bus.onResync(() => {
      this.#busWasAway = true
      this.#mending.soon()
    })
  }

  /** Resolves once every conversation of theirs is listened to. */
  async arrive(person: Person): Promise<void> {
    this.#watchesOf.set(person, new Set())
    await this.#watchAll(person)
  }

  /**
   * Makes sure that every change of these conversations reaches them from here on. Whoever is told where a
   * conversation stands before that would miss what happens until they are let in: events may be late or lost.
   */
  async follow(person: Person, conversationIds: number[]): Promise<void> {
    const reaches = (id: number) => this.#watches.get(id)?.reaches(person)
    if (conversationIds.every(reaches)) return
    await this.#watchAll(person)
    await Promise.all([...(this.#watchesOf.get(person) ?? [])].map(({ settled }) => settled))
  }

  leave(person: Person): void {
    const watches = this.#watchesOf.get(person)
    this.#watchesOf.delete(person)
    for (const watch of watches ?? []) this.#unwatch(person, watch)
  }

  /** Lets somebody in who became a member, or whose view of the conversation changed. */
  async admit(person: Person, conversationId: number): Promise<void> {
    const watch = this.#watch(person, conversationId)
    await watch.listening
    if (watch.holders.has(person)) watch.admit(person)
  }

  close(): void {
    void this.#mending.close()
  }

  /**
   * Brings somebody's watches in line with the conversations that they are in. It listens first and
   * reads the versions then, so that no change falls between the two.
   */
  async #watchAll(person: Person): Promise<void> {
    for (const { id } of await membershipsOf(this.#core, person.userId)) this.#watch(person, id)
    const watches = [...(this.#watchesOf.get(person) ?? [])]
    await Promise.all(watches.map(({ listening }) => listening))

    const memberships = await membershipsOf(this.#core, person.userId)
    const versions = new Map(memberships.map(({ id, version }) => [id, version]))
    for (const watch of watches) {
      const version = versions.get(watch.id)
      // They may have gone meanwhile, or have left the conversation.
      if (!watch.holders.has(person)) continue
      if (version === undefined) watch.admit(person)
      else watch.join(person, version)
    }
  }

  /**
   * Delivers what no event told: its node died before it could, or the bus was away. Then people may have
   * come to conversations and left them unheard, too, and their clients are asked to make sure by `resume`.
   */
  async #mend(): Promise<void> {
    const people = this.#people.all()
    if (!this.#busWasAway) {
      const ahead = await listAhead(this.#core, [...this.#watches.values()])
      const versions = new Map(ahead.map(({ id, version }) => [id, version]))
      // What could not be read before is tried again as well.
      for (const watch of [...this.#watches.values()]) watch.reached(versions.get(watch.id) ?? watch.version)
      await this.#admitUntold(people)
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

  /** Lets in those who came to a conversation that this node was not told of. */
  async #admitUntold(people: readonly Person[]): Promise<void> {
    const userIds = people.map(({ userId }) => userId)
    const untold = await listNewMemberships(this.#core, userIds, NEW_MEMBERSHIP_SECONDS)
    for (const { userId, conversationId } of untold) {
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
    // They may have left while this was under way.
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
