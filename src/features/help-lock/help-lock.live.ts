import type { ServerFrame } from '../../../schemas/events.schemas.ts'
import type { Connection } from '../../gateway/connection.ts'
import type { LivePlugin } from '../../gateway/live-plugin.ts'
import type { Person } from '../../gateway/person.ts'
import { type HelpLock, requireHelp } from './help-lock.service.ts'
import { helpWatchOf } from './help-lock-watch.ts'

/**
 * What happens to each frame during an exam that locks help: whatever somebody else can cause, or write, is withheld.
 * Even one that says no more than that somebody came or went can be a code.
 */
const DURING_EXAM: Record<ServerFrame['type'], 'sent' | 'withheld'> = {
  ready: 'sent',
  ack: 'sent',
  error: 'sent',
  pong: 'sent',
  resync: 'sent',
  auth_expiring: 'sent',
  help_locked: 'sent',
  help_unlocked: 'sent',
  attempt_time: 'sent',
  exam_message: 'sent',
  results_released: 'sent',
  result_changed: 'sent',
  // For administrators, whose help is never locked.
  ai_job: 'sent',
  message: 'withheld',
  message_edited: 'withheld',
  message_deleted: 'withheld',
  reactions: 'withheld',
  read: 'withheld',
  unread: 'withheld',
  typing: 'withheld',
  presence: 'withheld',
  conversation: 'withheld',
  gap: 'withheld',
  connection_request: 'withheld',
  connection_accepted: 'withheld',
  comment: 'withheld',
  class_news: 'withheld',
  live: 'withheld',
  notice: 'withheld',
  material: 'withheld',
  challenge_resolved: 'withheld',
  practice: 'withheld',
}
const WITHHELD: ReadonlySet<string> = new Set(
  Object.entries(DURING_EXAM).flatMap(([type, fate]) => (fate === 'withheld' ? [type] : [])),
)

/** Nobody's help is locked, most of the time. */
const NO_EXAMS: ReadonlySet<number> = new Set()

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
    const exams: ReadonlySet<number> = new Set(locks.map(({ examId }) => examId))
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
      people.set(person, { exams: NO_EXAMS, unfollow })
    },
    async greet(person, connection) {
      await watch.look([person.userId])
      greeted.add(connection)
      const exams = people.get(person)?.exams ?? NO_EXAMS
      if (exams.size === 0) return {}
      connection.withhold(WITHHELD)
      return {
        unread: null,
        unread_all: null,
        mentions: null,
        requests: null,
        unread_notices: null,
        news: [...exams].map((exam_id) => ({ type: 'help_locked' as const, exam_id })),
      }
    },
    leave(person) {
      people.get(person)?.unfollow()
      people.delete(person)
    },
  }
}
