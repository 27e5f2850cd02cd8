import type { Core } from '../../core.ts'
import { perNode } from '../../per-node.ts'

/** How long a node knows that an exam is watched, unless it is told again. */
export const WATCHED_MS = 15_000
/** Changes of an exam that come within this time are told at once. */
const GATHER_MS = 50

/**
 * Which exams somebody on any node watches. Whoever watches tells all nodes over and over (`watch`), so that a change of
 * an exam that nobody watches costs a look into this memory, and the end of watching needs no word.
 */
class WatchedExams {
  readonly #core: Core
  /** Until when each of them is, by `performance.now()`. */
  readonly #until = new Map<number, number>()
  /** Whose attempts have changed, by exam. */
  readonly #changed = new Map<number, Set<number>>()

  constructor(core: Core) {
    this.#core = core
    core.bus.subscribe('exams', (event) => {
      if (event.kind === 'watched') this.#until.set(event.examId, performance.now() + WATCHED_MS)
    })
  }

  watch(examId: number): void {
    this.#core.bus.publish('exams', { kind: 'watched', examId })
  }

  /** Something that a live room shows of these people has changed. Call it after the commit. */
  tell(examId: number, userIds: readonly number[]): void {
    const until = this.#until.get(examId)
    if (until === undefined || userIds.length === 0) return
    if (until < performance.now()) {
      this.#until.delete(examId)
      return
    }
    const changed = this.#changed.get(examId) ?? this.#gather(examId)
    for (const id of userIds) changed.add(id)
  }

  #gather(examId: number): Set<number> {
    const changed = new Set<number>()
    this.#changed.set(examId, changed)
    setTimeout(() => {
      this.#changed.delete(examId)
      this.#core.bus.publish(`live:${examId}`, { kind: 'attempts', userIds: [...changed] })
    }, GATHER_MS).unref()
    return changed
  }
}

export const watchedExams = perNode((core) => new WatchedExams(core))
