import type { ServerFrame } from '../../../schemas/events.ts'
import type { Connection } from '../../gateway/connection.ts'
import type { LivePlugin } from '../../gateway/live.ts'
import type { Person } from '../../gateway/person.ts'
import { type HelpLock, requireHelp } from './service.ts'
import { helpWatchOf } from './watch.ts'

/** Frames that are not sent during an exam that locks help. */
const WITHHELD: ReadonlySet<string> = new Set<ServerFrame['type']>([
  'message',
  'message_edited',
  'message_deleted',
  'read',
  'unread',
  'typing',
  'conversation',
  'connection_request',
  'connection_accepted',
  'comment',
  'gap',
])

/** Locked help on sockets: commands are refused and frames held back until the exam is over. */
export const helpLockLive: LivePlugin = (core) => {
  const watch = helpWatchOf(core)
  /** For each connected person the exams that lock their help, and a function that ends following them. */
  const people = new Map<Person, { exams: ReadonlySet<number>; unfollow: () => void }>()
  /** Sockets that get changes; new ones first get the state in `ready`. */
  const greeted = new WeakSet<Connection>()

  function apply(person: Person, locks: readonly HelpLock[]): void {
    const present = people.get(person)
    if (!present) return
    const before = present.exams
    const exams = new Set(locks.map(({ examId }) => examId))
    present.exams = exams
    for (const connection of person.connections) {
      const isTold = greeted.has(connection)
      if (exams.size > 0) connection.withhold(WITHHELD)
      if (isTold) {
        for (const exam_id of exams)
          if (!before.has(exam_id)) connection.send({ type: 'help_locked', exam_id })
        for (const exam_id of before)
          if (!exams.has(exam_id)) connection.send({ type: 'help_unlocked', exam_id })
      }
      if (exams.size > 0) continue
      connection.withhold(undefined)
      if (isTold) connection.send({ type: 'resync' })
    }
    // Counter frames were withheld too.
    if (exams.size === 0) core.bus.publish(`user:${person.userId}`, { kind: 'counters' })
  }

  return {
    async admit({ claims }, type, frame) {
      // The statement of a send decides itself.
      const isHelp =
        type === 'read' ||
        type === 'typing' ||
        type === 'resume' ||
        (type === 'send' && !frame) ||
        (type === 'subscribe' &&
          (frame as { topic?: string } | undefined)?.topic?.startsWith('ai_job:') !== true)
      if (isHelp) await requireHelp(core, claims.userId)
    },
    async arrive(person) {
      const unfollow = watch.follow(person.userId, (locks) => apply(person, locks))
      people.set(person, { exams: new Set(), unfollow })
    },
    async greet(person, connection) {
      await watch.look([person.userId])
      greeted.add(connection)
      const exams = people.get(person)?.exams ?? new Set()
      if (exams.size === 0) return {}
      connection.withhold(WITHHELD)
      return {
        unread: null,
        requests: null,
        news: [...exams].map((exam_id) => ({ type: 'help_locked' as const, exam_id })),
      }
    },
    leave(person) {
      people.get(person)?.unfollow()
      people.delete(person)
    },
  }
}
