import './no-browser.ts'
import { expect } from 'vitest'
import { PASSWORD, type Client as Person } from '../../../test/support/client.ts'
import { type Chat, createChat, type RoomMessage } from '../../src/chat/chat.ts'
import { type ExamSession, openExam } from '../../src/exam/open-exam.ts'
import { type Client, createClient, type LifeEvent, type Platform } from '../../src/index.ts'
import { node } from '../../src/platforms/node.ts'
import { memoryStore } from '../../src/storage/memory.ts'
import type { Network } from './network.ts'

/** How many times as fast the devices' time runs, so that backoff, heartbeat and pings end within a test. */
const SPEED = 8

/** An app on a device with a clock, timers and a network of its own. */
export class Device {
  readonly person: Person
  readonly network: Network
  readonly store = memoryStore()
  readonly violations: string[] = []
  /** What was written here, by conversation, in that order. */
  readonly written = new Map<number, string[]>()
  /** What was answered here last, by question; null: cleared. */
  readonly answered = new Map<number, string | null>()
  client!: Client
  chat!: Chat
  exam!: ExamSession
  #jumpMs = 0
  #throttleMs = 0
  readonly #began = Date.now()
  #watchers = new Set<(event: LifeEvent) => void>()
  #stops: (() => void)[] = []

  constructor(person: Person, network: Network) {
    this.person = person
    this.network = network
  }

  /** The app starts, for the first time or after a crash. */
  async start({ conversations, examId }: { conversations: number[]; examId: number }): Promise<void> {
    if ((await this.store.get('session')) === undefined) await this.#signIn()
    this.client = createClient({ baseUrl: this.network.url, platform: this.#platform() })
    await expect.poll(() => this.client.session.$user.get()?.id).toBe(this.person.id)
    this.chat = createChat(this.client)
    for (const id of conversations) this.#watchRoom(id)
    const { exam, error } = await openExam(this.client, examId)
    if (!exam) throw new Error(error.message)
    this.exam = exam
  }

  crash(): void {
    for (const stop of this.#stops.splice(0)) stop()
    this.#watchers = new Set()
    this.exam.close()
    this.client.close()
    this.chat.close()
  }

  /** Sets the device's clock forward, or back if negative. */
  jumpBy(ms: number): void {
    this.#jumpMs += ms
  }

  /** From now on every timer takes at least this long, as in a hidden page. */
  holdBack(ms: number): void {
    this.#throttleMs = ms
  }

  wake(): void {
    for (const tell of this.#watchers) tell('wake')
  }

  async write(id: number, text: string): Promise<void> {
    await this.chat.send(id, text)
    this.written.set(id, [...(this.written.get(id) ?? []), text])
  }

  async answer(questionId: number, answer: string | null): Promise<void> {
    await this.exam.answer(questionId, answer)
    this.answered.set(questionId, answer)
  }

  /** At normal speed: the service needs real time to check a password. */
  async #signIn(): Promise<void> {
    const client = createClient({ baseUrl: this.network.url, platform: node({ store: this.store }) })
    await client.session.login({ username: this.person.username, password: PASSWORD })
    client.close()
  }

  #platform(): Platform {
    const plain = node({ store: this.store })
    return {
      ...plain,
      now: () => this.#began + (Date.now() - this.#began) * SPEED + this.#jumpMs,
      after: (ms, run) => plain.after(Math.max(ms, this.#throttleMs) / SPEED, run),
      watch: (tell) => {
        this.#watchers.add(tell)
        return () => this.#watchers.delete(tell)
      },
    }
  }

  /** Notes in `violations` what is shown twice or out of order, or vanishes. */
  #watchRoom(id: number): void {
    let before: readonly RoomMessage[] = []
    const room = this.chat.room(id)
    this.#stops.push(
      room.$messages.listen((messages) => {
        const keys = new Set(messages.map(({ key }) => key))
        const seqs = messages.flatMap(({ seq }) => seq ?? [])
        const violation = (what: string) => this.violations.push(`${this.person.username} in ${id}: ${what}`)
        if (keys.size < messages.length) violation('shown twice')
        if (seqs.some((seq, at) => at > 0 && seq !== (seqs[at - 1] ?? 0) + 1))
          violation(`holes or disorder: ${seqs}`)
        if (room.$state.get().status !== 'gone')
          for (const { key, message } of before) if (!keys.has(key)) violation(`"${message}" vanished`)
        for (const { key, state } of messages)
          if (state !== 'sent' && before.some((each) => each.key === key && each.state === 'sent'))
            violation('sent, and then not')
        before = messages
      }),
    )
  }
}
