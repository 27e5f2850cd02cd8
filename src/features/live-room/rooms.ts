import { MOST_IN_ROOM } from '../../../schemas/live-room.schemas.ts'
import type { Subscription } from '../../bus/bus.ts'
import type { FrameEvent } from '../../bus/events.ts'
import type { Core } from '../../core.ts'
import { perNode } from '../../per-node.ts'
import { every, type Periodic } from '../../scheduling/periodic.ts'
import { WATCHED_MS, watchedExams } from '../attempts/watched-exams.ts'
import { listChanged, type RoomScope } from './live-room.service.ts'
import { listStudentIds } from './live-room.store.ts'

/** Between two frames of a room. */
const PAUSE_MS = 1_000
/** How often a room looks who is connected, and says that it is watched: often enough for two to be lost. */
const LOOK_MS = WATCHED_MS / 3

type Listener = (event: FrameEvent) => void

/** What the watchers of one node share of a room: all that changes within a second is one statement and one frame. */
class WatchedRoom {
  readonly listeners = new Set<Listener>()
  readonly ready: Promise<void>
  readonly #core: Core
  readonly #scope: RoomScope
  readonly #subscriptions: Subscription[]
  readonly #looking: Periodic
  /** Who changed since the last frame. */
  readonly #changed = new Set<number>()
  /** Who was connected when that was last looked at; undefined before. */
  #connected: ReadonlySet<number> | undefined
  #sentAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(core: Core, scope: RoomScope) {
    this.#core = core
    this.#scope = scope
    const { examId } = scope
    this.#subscriptions = [
      core.bus.subscribe(`live:${examId}`, ({ userIds }) => this.#note(userIds)),
      core.bus.subscribe('exams', (event) => {
        if (event.kind === 'attempt_times' && event.examId === examId)
          this.#note(event.times.map(({ userId }) => userId))
      }),
    ]
    this.#looking = every(LOOK_MS, 'looking who is in a live room', () => this.#look(), core.log)
    // What a watcher reads after that is not older than what is compared with it.
    const looked = this.#look().catch(() => {})
    this.ready = Promise.all([looked, ...this.#subscriptions.map(({ ready }) => ready)]).then(() => {})
  }

  /** Everything may have changed: events were lost. */
  async refresh(): Promise<void> {
    this.#note(await listStudentIds(this.#core.db, this.#scope, MOST_IN_ROOM))
  }

  close(): void {
    clearTimeout(this.#timer)
    void this.#looking.close()
    for (const subscription of this.#subscriptions) subscription.close()
  }

  async #look(): Promise<void> {
    watchedExams(this.#core).watch(this.#scope.examId)
    const ids = await listStudentIds(this.#core.db, this.#scope, MOST_IN_ROOM)
    const connected = await this.#core.presence.seen(ids)
    const before = this.#connected
    this.#connected = connected
    if (before) this.#note(ids.filter((id) => connected.has(id) !== before.has(id)))
  }

  #note(userIds: readonly number[]): void {
    for (const id of userIds) this.#changed.add(id)
    if (this.#changed.size === 0 || this.#timer) return
    const pause = Math.max(0, this.#sentAt + PAUSE_MS - performance.now())
    this.#timer = setTimeout(() => void this.#send(), pause).unref()
  }

  async #send(): Promise<void> {
    // Also where nobody of this room has changed: the others of the exam may at any time.
    this.#sentAt = performance.now()
    const userIds = [...this.#changed].slice(0, MOST_IN_ROOM)
    for (const id of userIds) this.#changed.delete(id)
    try {
      const students = await listChanged(this.#core, this.#scope, userIds)
      const { examId: exam_id, classId } = this.#scope
      const of = classId === undefined ? { exam_id } : { exam_id, class_id: classId }
      if (students.length > 0) {
        const event: FrameEvent = { kind: 'frame', frame: { type: 'live', ...of, students } }
        for (const listener of this.listeners) listener(event)
      }
    } catch (error) {
      // The next GET has it.
      this.#core.log.warn({ err: error, exam_id: this.#scope.examId }, 'a live room could not be told')
    }
    this.#timer = undefined
    this.#note([])
  }
}

/** The rooms that somebody watches on this node. */
class Rooms {
  readonly #core: Core
  readonly #rooms = new Map<string, WatchedRoom>()

  constructor(core: Core) {
    this.#core = core
    core.bus.onResync(() => {
      for (const room of this.#rooms.values()) void room.refresh().catch(() => {})
    })
  }

  watch(topic: string, scope: RoomScope, listener: Listener): Subscription {
    const room = this.#rooms.get(topic) ?? new WatchedRoom(this.#core, scope)
    this.#rooms.set(topic, room)
    room.listeners.add(listener)
    return {
      ready: room.ready,
      close: () => {
        if (!room.listeners.delete(listener) || room.listeners.size > 0) return
        this.#rooms.delete(topic)
        room.close()
      },
    }
  }

  close(): void {
    for (const room of this.#rooms.values()) room.close()
    this.#rooms.clear()
  }
}

export const roomsOf = perNode((core) => new Rooms(core))
