import { atom, type ReadableAtom } from 'nanostores'
import type { ServerFrame } from '../generated/frames.ts'
import { LARGEST_LAST_CHANGE } from '../http/exchange.ts'
import type { Client } from '../index.ts'
import type { Channel, LifeEvent } from '../platform.ts'
import type { Owner } from '../session/session.ts'
import { fullJitter } from '../socket/backoff.ts'
import type { StorageState } from '../storage/storage.ts'
import { TabLock } from '../tab-lock.ts'
import { openChannel } from '../tabs.ts'
import {
  type Answer,
  begin,
  canWrite,
  type Effect,
  type Event,
  hasArrived,
  isDone,
  isOpen,
  type Journal,
  type JournalProgress,
  type JournalRequest,
  type JournalState,
  step,
} from './journal.ts'
import { claimJournal, findProgress, keepJournal, keepPaper, toProgress } from './kept-journals.ts'
import { isEnding, readPaper, save, sayEnd } from './saving.ts'
import { type ExamState, showState } from './shown-state.ts'

/** Shortest time between two readings of the paper when a page is shown again. */
const READ_EVERY_MS = 30_000
/** How long after its end an attempt takes answers (docs/protocol/exams.md#the-end). */
const GRACE_MS = 30_000
/** Everybody's time is up at once: the service is asked at different moments. */
const SPREAD_MS = 2_000
/** How often a store that failed is tried again, and the service asked for the time. */
const AGAIN_MS = 5_000
/** How often it is looked whether the clocks of this machine still agree. */
const LOOK_EVERY_MS = 2_000
/** How soon a page says that an exam is its own. */
const ANSWER_MS = 300
/** How long it may take until it is known whether another tab writes. */
const DECISION_MS = 2_000

/**
 * One attempt. Each answer is written to this machine's journal first and then synced, so that none is lost without a
 * network, in a crash or at a reload. Answers from other devices are taken over. One tab writes: it holds a lock, and
 * has a number in the journal that each of its writes is checked by. A session that only sends the answers of a closed
 * page makes way for every page of the exam.
 */
export class ExamSession {
  readonly $state: ReadableAtom<ExamState>
  readonly examId: number
  readonly #client: Client
  readonly #owner: Owner
  readonly #shown: ReturnType<typeof atom<ExamState>>
  readonly #lock: TabLock | undefined
  readonly #lockName: string
  readonly #tabs: Channel
  readonly #turns: Channel
  readonly #isPage: boolean
  readonly #stops: (() => void)[] = []
  #state: JournalState
  #decided: () => void = () => {}
  /** While this tab has the lock: names its latest claim. */
  #claiming: object | undefined
  #keeping: Promise<StorageState | 'refused'> = Promise.resolve('durable')
  /** The journal that is stored, and whether its paper is. */
  #kept: Journal | undefined
  #isPaperKept = false
  #readAt: number | undefined
  /** Once the time is up and the service has everything: whether it knows that, or how often that could not be said. */
  #endSaid: 'said' | number = 0
  readonly #timers: Partial<Record<'due' | 'keep' | 'end', () => void>> = {}
  #isClosed = false

  constructor(client: Client, owner: Owner, journal: Journal, isPage = true) {
    const { platform } = client
    this.#isPage = isPage
    this.#client = client
    this.#owner = owner
    this.#state = begin(journal)
    this.examId = journal.examId
    this.#shown = atom(showState(this.#state))
    this.$state = this.#shown
    const name = `exam-practice:${client.baseUrl}:exam:${owner.userId}:${journal.attemptId}`
    this.#lockName = name
    this.#tabs = openChannel(
      platform,
      name,
      (told) => this.#do({ is: 'told', journal: told as JournalProgress }),
      () => void this.#reread(),
    )
    this.#turns = openChannel(platform, `${name}:turns`, (told) => {
      if (isPage && told === 'whose') this.#turns.post('mine')
      if (!isPage && told === 'mine') this.close()
    })
    this.#lock =
      platform.locks && new TabLock(platform, name, (isOurs) => (isOurs ? void this.#claim() : this.#lose()))
    this.#stops.push(
      client.session.$user.subscribe(() => {
        if (client.session.owner()?.stay !== owner.stay) this.close()
      }),
      client.live.listen((frame) => this.#hear(frame)),
      client.platform.atEnd(() => this.close()),
    )
    const unwatch = platform.watch?.((event) => this.#live(event))
    if (unwatch) this.#stops.push(unwatch)
  }

  /** Resolves once it is known whether this tab writes. */
  async begin(): Promise<void> {
    const { locks, after } = this.#client.platform
    this.#watchEnd()
    this.#turns.post(this.#isPage ? 'mine' : 'whose')
    if (!this.#isPage) await new Promise<void>((resolve) => after(ANSWER_MS, resolve))
    if (this.#isClosed) return
    if (!locks) return this.#claim()
    const isDecided = new Promise<void>((resolve) => {
      this.#decided = resolve
      this.#stops.push(resolve, after(DECISION_MS, resolve))
    })
    this.#lock?.wait()
    // It is answered after the request that waits, unless another tab holds the lock.
    void locks
      .request(this.#lockName, { ifAvailable: true }, async (lock) => lock !== null)
      .then((isFree) => isFree || after(ANSWER_MS, () => this.#claiming || this.#lose()))
      // Where locks are denied, this tab has been told that it has its own.
      .catch(() => {})
    await isDecided
  }

  /** Whether this session is the one that writes. */
  get writes(): boolean {
    return !this.#isClosed && this.#state.role !== 'reader'
  }

  /** Resolves once what has happened until now is stored, or that has failed. */
  get kept(): Promise<unknown> {
    return this.#keeping
  }

  /** The service's time, in milliseconds since the epoch. */
  now(): number {
    return this.#client.clock.now()
  }

  /**
   * Milliseconds until the end, at least 0; null: no end. undefined: it seems to be over, but this machine's clock was
   * changed or stood still, and the service is being asked.
   */
  remaining(): number | null | undefined {
    const { endsAt } = this.#shown.get()
    return endsAt === null ? null : this.#client.clock.until(endsAt)
  }

  /**
   * Resolves once it is decided where the answer is: `durable` on this machine, or only in this page (`memory`, `full`)
   * until the service has it. null clears it.
   */
  answer(questionId: number, answer: Answer | null): Promise<StorageState> {
    return this.#change({ is: 'answer', questionId, answer })
  }

  /** Marks a question for review. */
  mark(questionId: number, isMarked: boolean): Promise<StorageState> {
    return this.#change({ is: 'mark', questionId, isMarked })
  }

  /**
   * Hands in the exam. Once that is stored on this machine, it is sent until the service has it, even after restarts;
   * `$state` shows when.
   */
  submit(): Promise<StorageState> {
    return this.#change({ is: 'submit' })
  }

  /** Makes this tab the one that writes; the other one can only read from then on. */
  takeOver(): void {
    if (this.#state.role !== 'reader') return
    if (this.#lock) this.#lock.take()
    else void this.#claim()
  }

  /**
   * Reads the paper again: for the time, for answers from other devices, and for whether the service has closed the
   * attempt. Throws `Unreachable` without the service.
   */
  async refresh(): Promise<void> {
    this.#readAt = this.#client.platform.now()
    const { acks, journal } = this.#state
    try {
      const { data, error } = await readPaper(this.#client, this.#owner, this.examId, journal.attemptId)
      if (data) this.#do({ is: 'read', paper: data, acks })
      else if (isEnding(error.code)) this.#do({ is: 'ended' })
    } finally {
      this.#watchEnd()
    }
  }

  /** Ends this session of the page; the attempt goes on. */
  close(): void {
    if (this.#isClosed) return
    this.#do({ is: 'hidden', mostBytes: LARGEST_LAST_CHANGE })
    this.#isClosed = true
    this.#shown.set({ ...this.#shown.get(), canWrite: false })
    for (const cancel of Object.values(this.#timers)) cancel()
    for (const stop of this.#stops) stop()
    this.#lock?.leave()
    this.#tabs.close()
    this.#turns.close()
    this.#decided()
  }

  async #change(event: Event): Promise<StorageState> {
    const refuse = () => {
      throw new Error('This exam can only be read here')
    }
    if (this.#isClosed || !canWrite(this.#state)) refuse()
    this.#do(event)
    const where = await this.#keeping
    return where === 'refused' ? refuse() : where
  }

  #do(event: Event): void {
    const before = this.#state
    const [state, effects] = step(before, event)
    this.#state = state
    const seen = ['journal', 'role', 'isOver', 'fault'] as const
    const isSeen = seen.some((name) => state[name] !== before[name])
    if (isSeen && !this.#isClosed) this.#shown.set(showState(state))
    for (const effect of effects) this.#carryOut(effect)
  }

  #carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'keep':
        if (this.#state.role !== 'reader') this.#tabs.post(toProgress(this.#state.journal))
        void this.#keep()
        return
      case 'send':
        void this.#send(effect.sent)
        return
      case 'read':
        void this.refresh().catch(() => {})
        return
      case 'send at once':
        void this.#save(effect.sent, true)
        return
      case 'wait': {
        const { platform } = this.#client
        const jitter = effect.faults > 0 ? fullJitter(platform, effect.faults) : 0
        this.#after('due', effect.ms + jitter, () => this.#sync())
      }
    }
  }

  /** A failure of this program itself is shown, and tried again like a request that the service doesn't answer. */
  #sync(): void {
    try {
      this.#do({ is: 'due' })
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    const { name } = error as Error
    this.#client.diagnostics.note('exam.failed', name)
    this.#do({ is: 'failed', why: String(error) })
  }

  /** What was stored before this is called is in it; `refused`: another tab writes. */
  #keep(): Promise<StorageState | 'refused'> {
    this.#keeping = this.#keeping.then(() => this.#keepNow())
    return this.#keeping
  }

  async #keepNow(): Promise<StorageState | 'refused'> {
    const { storage, diagnostics } = this.#client
    const { userId } = this.#owner
    try {
      if (this.#state.role === 'stranded') await this.#claim()
      const { journal, role } = this.#state
      if (role === 'reader') return 'refused'
      if (role === 'stranded') throw new Error('The store fails')
      if (this.#kept !== journal) {
        if (!this.#isPaperKept && isOpen(journal)) await keepPaper(storage, userId, journal)
        // A finished journal is removed; should the attempt go on, it is stored again.
        this.#isPaperKept = !isDone(journal)
        if (!(await keepJournal(storage, userId, journal))) {
          // This tab may have claimed it anew meanwhile.
          if (this.#state.journal.writer !== journal.writer) return this.#keepNow()
          this.#lose()
          return 'refused'
        }
        this.#kept = journal
        this.#do({ is: 'kept', journal })
      }
      return storage.$state.get()
    } catch {
      diagnostics.note('exam.not_kept')
      this.#after('keep', AGAIN_MS, () => void this.#keep())
      return storage.$state.get() === 'memory' ? 'memory' : 'full'
    }
  }

  async #send(sent: JournalRequest): Promise<void> {
    await this.#keep()
    if (!this.#isClosed && this.#state.sending === sent.revision) await this.#save(sent)
  }

  async #save(sent: JournalRequest, atOnce = false): Promise<void> {
    try {
      const outcome = await save(this.#client, this.#owner, this.#state.journal, sent, atOnce)
      this.#do({ is: 'answered', sent, outcome })
    } catch (error) {
      this.#fail(error)
    }
    this.#watchEnd()
  }

  /** Begins to write; if the store fails, without it. */
  async #claim(): Promise<void> {
    const claiming = {}
    this.#claiming = claiming
    const [storage, { userId }, { journal }] = [this.#client.storage, this.#owner, this.#state]
    const claimed = await claimJournal(storage, userId, journal).catch(() => undefined)
    // A full disk can be read.
    const read =
      claimed ??
      (await findProgress(storage, userId, journal).then(
        (stored) => ({ stored }),
        () => undefined,
      ))
    // The lock may have been lost meanwhile.
    if (this.#claiming !== claiming || this.#isClosed) return
    if (claimed) this.#do({ is: 'claimed', ...claimed })
    else {
      this.#do({ is: 'stranded', ...read, isBlind: !read })
      this.#after('keep', AGAIN_MS, () => void this.#keep())
    }
    this.#decided()
  }

  #lose(): void {
    this.#claiming = undefined
    this.#timers.due?.()
    this.#do({ is: 'lost' })
    void this.#reread().then(this.#decided)
  }

  async #reread(): Promise<void> {
    const { storage } = this.#client
    const journal = await findProgress(storage, this.#owner.userId, this.#state.journal).catch(
      () => undefined,
    )
    if (journal) this.#do({ is: 'told', journal })
    this.#watchEnd()
  }

  #live(event: LifeEvent): void {
    if (event === 'hide' || event === 'leave') this.#do({ is: 'hidden', mostBytes: LARGEST_LAST_CHANGE })
    // Before the page may be frozen: another tab writes as soon as the lock is free.
    if (event === 'leave' && this.#lock) {
      this.#lock.leave()
      this.#lose()
    }
    if (event === 'return' && !this.#claiming) this.#lock?.wait()
    if (event === 'wake') this.#wake()
  }

  #hear(frame: ServerFrame): void {
    if (frame.type === 'ready') this.#wake()
    if (frame.type !== 'attempt_time' || frame.attempt_id !== this.#state.journal.attemptId) return
    this.#do({ is: 'end moved', endsAt: frame.ends_at })
    this.#watchEnd()
    if (this.#mayGoOn()) void this.refresh().catch(() => {})
  }

  /** Whether its time has closed the attempt: a teacher may give it more. */
  #mayGoOn(): boolean {
    return this.#state.journal.phase === 'closed'
  }

  #wake(): void {
    if (this.#isClosed) return
    this.#watchEnd()
    this.#sync()
    const { platform, clock } = this.#client
    const isLongAgo = this.#readAt === undefined || Math.abs(platform.now() - this.#readAt) > READ_EVERY_MS
    const isOfUse = isOpen(this.#state.journal) || this.#mayGoOn()
    if (isOfUse && (isLongAgo || clock.isDoubtful)) void this.refresh().catch(() => {})
  }

  /**
   * At the end of the time nothing can be written any more, and the service is asked until it has closed the attempt. It
   * is also asked when the clocks of this machine have begun to differ: until it answers nothing ends here.
   */
  #watchEnd(): void {
    this.#timers.end?.()
    if (this.#isClosed || !isOpen(this.#state.journal)) return
    const { endsAt } = this.#shown.get()
    const { clock, platform } = this.#client
    const left = this.remaining()
    const isOver = left === 0
    const wasOver = this.#state.isOver
    if (isOver !== wasOver) this.#do({ is: 'clock', isOver })
    if (isOver) {
      // At once, because the end may have been moved; later ones after the time in which late answers count.
      // The tab that writes tells the others sooner, unless it is frozen.
      const least = this.#state.role === 'reader' ? READ_EVERY_MS : SPREAD_MS
      const since = this.now() - (endsAt ?? 0)
      // Where the service has everything it may close the attempt at once.
      if (hasArrived(this.#state) && this.#endSaid !== 'said' && since < GRACE_MS) {
        const again = this.#endSaid > 0 ? fullJitter(platform, this.#endSaid) : 0
        this.#after('end', again + platform.random() * SPREAD_MS, () => void this.#sayEnd())
        return
      }
      const pause = wasOver ? Math.max(0, GRACE_MS - since) + least : 0
      this.#after('end', pause + platform.random() * SPREAD_MS, () => void this.refresh().catch(() => {}))
      return
    }
    this.#endSaid = 0
    if (left !== null) {
      const pause = clock.isDoubtful ? AGAIN_MS * (1 + platform.random()) : LOOK_EVERY_MS
      this.#after('end', Math.min(left ?? pause, pause), () => {
        if (clock.isDoubtful) void this.refresh().catch(() => {})
        else this.#watchEnd()
      })
    }
  }

  async #sayEnd(): Promise<void> {
    const outcome = await sayEnd(this.#client, this.#owner, this.#state.journal)
    this.#endSaid = outcome.is === 'fault' && this.#endSaid !== 'said' ? this.#endSaid + 1 : 'said'
    if (outcome.is === 'ended') this.#do({ is: 'ended' })
    if (outcome.is === 'waiting') this.#do({ is: 'end moved', endsAt: outcome.endsAt })
    this.#watchEnd()
  }

  #after(timer: 'due' | 'keep' | 'end', ms: number, run: () => void): void {
    this.#timers[timer]?.()
    if (!this.#isClosed) this.#timers[timer] = this.#client.platform.after(ms, run)
  }
}
