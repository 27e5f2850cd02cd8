import { atom, type ReadableAtom } from 'nanostores'
import type { ServerFrame } from '../generated/frames.ts'
import { jsonRequest } from '../http/request.ts'
import type { Client } from '../index.ts'
import type { Channel } from '../platform.ts'
import { fullJitter } from '../socket/backoff.ts'
import { openChannel } from '../tabs.ts'
import type { ServerClock } from './clock.ts'
import { deliver, hasWork, toBody } from './delivery.ts'
import {
  type Answer,
  acknowledge,
  isSynced,
  type Journal,
  openJournal,
  type Progress,
  readProgress,
  toProgress,
  toSend,
  withAnswer,
  withMark,
} from './journal.ts'
import { createSaver } from './journal-saver.ts'
import { type ExamState, showState } from './shown-state.ts'
import { WritingTab } from './writing-tab.ts'

/** Answers given within this time are sent together. */
const SYNC_AFTER_MS = 800
/** Shortest time between two readings of the paper when a page is shown again. */
const READ_EVERY_MS = 30_000
/** Browsers limit what a closing page may send to 64 KiB, headers and other requests included. */
const LARGEST_KEEPALIVE = 60 * 1_024

/**
 * One attempt. Each answer is written to this machine's journal first and then synced, so that none is lost without a
 * network, in a crash or at a reload. Answers from other devices are taken over.
 */
export class ExamSession {
  readonly $state: ReadableAtom<ExamState>
  readonly examId: number
  readonly #client: Client
  readonly #userId: number
  readonly #clock: ServerClock
  readonly #state: ReturnType<typeof atom<ExamState>>
  readonly #writer: WritingTab
  readonly #save: (journal: Journal) => Promise<void>
  readonly #tabs: Channel
  readonly #stops: (() => void)[] = []
  #journal: Journal
  #canWrite = false
  #isReader = false
  #isSyncing = false
  #attempt = 0
  #readAt: number
  #cancelSync: (() => void) | undefined
  #isClosed = false

  constructor(client: Client, userId: number, journal: Journal, clock: ServerClock) {
    const { platform } = client
    this.#client = client
    this.#journal = journal
    this.#clock = clock
    this.#readAt = platform.now()
    this.examId = journal.examId
    this.#userId = userId
    this.#state = atom(showState(journal, false))
    this.$state = this.#state
    this.#save = createSaver(platform.store, userId, () => client.diagnostics.note('exam.not_kept'))
    const name = `exam-practice:${client.baseUrl}:exam:${userId}:${journal.attemptId}`
    this.#tabs = openChannel(
      platform,
      name,
      (told) => this.#hear(told as Progress),
      () => void this.#reread(),
    )
    this.#writer = new WritingTab(platform.locks, name, (canWrite) => void this.#become(canWrite))
    this.#stops.push(
      client.session.$user.subscribe((user) => {
        if (user !== undefined && user?.id !== userId) this.close()
      }),
      client.live.listen((frame) => this.#take(frame)),
    )
    const unwatch = platform.watch?.((event) => {
      if (event === 'hide' || event === 'leave') this.#sendAway()
      if (event === 'leave') this.#writer.close()
      if (event === 'return') this.#writer.wait()
      if (event === 'wake') this.#wake()
    })
    if (unwatch) this.#stops.push(unwatch)
  }

  /** Resolves once it is known whether this tab writes. */
  begin(): Promise<void> {
    return this.#writer.start()
  }

  /** The service's time, in milliseconds since the epoch. */
  now(): number {
    return this.#clock.now()
  }

  /** Milliseconds until the end, at least 0; null: no end. */
  remaining(): number | null {
    const { endsAt } = this.#state.get()
    return endsAt === null ? null : Math.max(0, endsAt - this.now())
  }

  /** Resolves once the answer is stored on this machine; null clears it. */
  answer(questionId: number, answer: Answer | null): Promise<void> {
    return this.#change((journal) => withAnswer(journal, questionId, answer))
  }

  /** Marks a question for review. */
  mark(questionId: number, isMarked: boolean): Promise<void> {
    return this.#change((journal) => withMark(journal, questionId, isMarked))
  }

  /** Makes this tab the one that writes; the other one can only read from then on. */
  takeOver(): void {
    this.#writer.takeOver()
  }

  /**
   * Hands in the exam. Resolves once that is stored on this machine: from then on it is sent until the service has it,
   * even after restarts; `$state` shows when.
   */
  submit(): Promise<void> {
    return this.#change((journal) => ({ ...journal, phase: 'submitting' }), 0)
  }

  /** Ends this session of the page; the attempt goes on. */
  close(): void {
    if (this.#isClosed) return
    this.#sendAway()
    this.#isClosed = true
    this.#cancelSync?.()
    for (const stop of this.#stops) stop()
    this.#writer.close()
    this.#tabs.close()
  }

  async #change(change: (journal: Journal) => Journal, syncAfter = SYNC_AFTER_MS): Promise<void> {
    if (this.#isClosed || !this.#canWrite || this.#journal.phase !== 'active')
      throw new Error('This exam can only be read here')
    await this.#set(change(this.#journal))
    this.#syncIn(syncAfter)
  }

  async #set(journal: Journal): Promise<void> {
    // If the exam was opened again, the new session writes the journal.
    if (journal === this.#journal || this.#isClosed) return
    this.#journal = journal
    this.#show()
    this.#tabs.post(toProgress(journal))
    await this.#save(journal)
  }

  #show(): void {
    this.#state.set(showState(this.#journal, this.#canWrite))
  }

  async #become(canWrite: boolean): Promise<void> {
    // The stored journal is newer than the last message of the tab that was writing.
    if (canWrite && this.#isReader) await this.#reread()
    if (this.#isClosed) return
    this.#isReader = !canWrite
    this.#canWrite = canWrite
    this.#show()
    if (canWrite) {
      await this.#set({ ...this.#journal })
      this.#syncIn(0)
    } else this.#cancelSync?.()
  }

  async #reread(): Promise<void> {
    const kept = await readProgress(this.#client.platform.store, this.#userId, this.#journal).catch(
      () => undefined,
    )
    if (kept) this.#hear(kept)
  }

  #hear(progress: Progress): void {
    if (this.#canWrite) return
    this.#journal = { ...progress, questions: this.#journal.questions }
    this.#show()
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'ready') this.#wake()
    if (frame.type !== 'attempt_time' || frame.attempt_id !== this.#journal.attemptId) return
    const journal = { ...this.#journal, endsAt: frame.ends_at }
    if (this.#canWrite) void this.#set(journal)
    else this.#hear(journal)
  }

  #wake(): void {
    this.#syncIn(0)
    const { platform } = this.#client
    const isLongAgo = Math.abs(platform.now() - this.#readAt) > READ_EVERY_MS
    if (!this.#isClosed && this.#journal.phase === 'active' && (isLongAgo || this.#clock.isDoubtful))
      void this.#read().catch(() => {})
  }

  /** Reads the paper again, for the time and for answers from other devices. */
  async #read(): Promise<void> {
    const askedAt = this.#client.platform.now()
    this.#readAt = askedAt
    const params = { path: { exam_id: this.examId } }
    const { data } = await this.#client.GET('/api/v01/exams/{exam_id}/paper', { params })
    if (!data || data.attempt_id !== this.#journal.attemptId) return
    this.#clock.set(data.server_time, askedAt)
    if (this.#canWrite) await this.#set(openJournal(data, this.examId, this.#journal))
  }

  #syncIn(ms: number): void {
    this.#cancelSync?.()
    this.#cancelSync = this.#client.platform.after(ms, () => void this.#sync())
  }

  /** Sends unsynced answers, and hands in if that was asked for, until the service has everything. */
  async #sync(): Promise<void> {
    if (this.#isSyncing) return
    this.#isSyncing = true
    try {
      while (!this.#isClosed && this.#canWrite && hasWork(this.#journal)) {
        await this.#set({ ...this.#journal, revision: this.#journal.revision + 1 })
        const outcome = await deliver(this.#client, this.#journal, this.#clock)
        if (typeof outcome === 'number') {
          this.#attempt += 1
          this.#syncIn(outcome + fullJitter(this.#client.platform, this.#attempt))
          return
        }
        await this.#set(outcome(this.#journal))
        this.#attempt = 0
      }
    } finally {
      this.#isSyncing = false
    }
  }

  /** Sends without waiting, because the page may close at once; the journal has everything anyway. */
  #sendAway(): void {
    const token = this.#client.session.tokenNow()
    if (this.#isClosed || !this.#canWrite || !token || isSynced(this.#journal)) return
    const sent = toSend(this.#journal, LARGEST_KEEPALIVE)
    void this.#set({ ...this.#journal, revision: this.#journal.revision + 1 })
    const url = `${this.#client.baseUrl}/api/v01/exams/${this.examId}/answers`
    const headers = { authorization: `Bearer ${token}` }
    const request = jsonRequest('PUT', url, toBody(sent, this.#journal), { keepalive: true, headers })
    this.#client.platform
      .fetch(request)
      .then(async ({ status }) => {
        if (status === 200) await this.#set(acknowledge(this.#journal, sent, null))
      })
      .catch(() => {})
  }
}
