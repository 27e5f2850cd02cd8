import { atom, type ReadableAtom } from 'nanostores'
import type { Client } from '../index.ts'
import type { Channel } from '../platform.ts'
import { fullJitter } from '../socket/backoff.ts'
import { openChannel } from '../tabs.ts'
import { ExamSession } from './exam-session.ts'
import { hasWork, type Journal } from './journal.ts'
import { listJournals } from './kept-journals.ts'

/** How often it is tried again, at least. */
const RETRY_MS = 15_000

/** An attempt of which this machine has something that the service doesn't. */
export interface KeptAnswers {
  examId: number
  attemptId: number
  /** How many answers that are. */
  unsynced: number
  /** Whether the exam is to be handed in. */
  isSubmitting: boolean
}

/**
 * Sends what pages of exams have left here when they were closed, wherever in the app somebody is: when it is made, upon
 * a sign-in, and whenever the service can be reached again. An exam that is open in a page is left to that page.
 */
export function sendKeptAnswers(client: Client): KeptAnswersSender {
  return new KeptAnswersSender(client)
}

export class KeptAnswersSender {
  readonly #kept = atom<readonly KeptAnswers[]>([])
  /** What is still on this machine, of the signed-in person. */
  readonly $kept: ReadableAtom<readonly KeptAnswers[]> = this.#kept
  readonly #client: Client
  readonly #tabs: Channel
  readonly #stops: (() => void)[]
  #running: Promise<void> | undefined
  #again = false
  #faults = 0
  #cancelRetry: (() => void) | undefined
  #isClosed = false

  constructor(client: Client) {
    this.#client = client
    const { platform } = client
    const name = `exam-practice:${client.baseUrl}:kept-answers`
    this.#tabs = openChannel(platform, name, () => void this.#list().catch(() => {}))
    this.#stops = [
      client.session.$user.subscribe(() => void this.send()),
      client.live.listen(({ type }) => {
        if (type === 'ready') void this.send()
      }),
      platform.atEnd(() => this.close()),
    ]
    const unwatch = platform.watch?.((event) => {
      if (event === 'wake' || event === 'return') void this.send()
    })
    if (unwatch) this.#stops.push(unwatch)
  }

  /** Sends it now; resolves once that is done or has failed. */
  send(): Promise<void> {
    this.#again = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRetry?.()
    for (const stop of this.#stops) stop()
    this.#tabs.close()
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#isClosed) {
      this.#again = false
      this.#cancelRetry?.()
      const before = await this.#list().catch(() => undefined)
      for (const journal of before ?? []) await this.#sendOne(journal)
      if (before?.length === 0) return
      const left = await this.#list().catch(() => undefined)
      this.#tabs.post('sent')
      if (left?.length === 0) {
        this.#faults = 0
        return
      }
      // The line may be back without anybody saying so, and a page that has the exam may be closed.
      this.#faults += 1
      const { platform } = this.#client
      const pause = RETRY_MS + fullJitter(platform, this.#faults)
      if (!this.#isClosed) this.#cancelRetry = platform.after(pause, () => void this.send())
    }
  }

  async #list(): Promise<Journal[]> {
    const { session, storage } = this.#client
    await session.ready
    const owner = session.owner()
    const journals = owner ? (await listJournals(storage, owner.userId)).filter(hasWork) : []
    if (session.owner()?.stay !== owner?.stay) return []
    this.#kept.set(
      journals.map(({ examId, attemptId, unsynced, phase }) => ({
        examId,
        attemptId,
        unsynced: Object.keys(unsynced).length,
        isSubmitting: phase === 'submitting',
      })),
    )
    return journals
  }

  /** Until the service has it, or a try has failed, or a page takes the exam up. */
  async #sendOne(journal: Journal): Promise<void> {
    const owner = this.#client.session.owner()
    if (!owner || this.#isClosed) return
    const exam = new ExamSession(this.#client, owner, journal, false)
    await exam.begin()
    await new Promise<void>((resolve) => {
      const stop = exam.$state.subscribe(({ hasWork: hasMore, fault }) => {
        if (hasMore && fault === undefined && exam.writes) return
        resolve()
        void Promise.resolve().then(() => stop())
      })
    })
    exam.close()
    await exam.kept
  }
}
