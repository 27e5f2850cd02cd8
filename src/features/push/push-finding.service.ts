import type { Core } from '../../core.ts'
import { hasDue } from '../practice/practice.service.ts'
import * as store from './push-finding.store.ts'

/** How long before it opens an exam is announced. */
const OPENING_MS = 15 * 60_000

/** Queues pushes for everything that has happened; whether there are any. */
export async function findPushes(core: Core): Promise<boolean> {
  let queued = 0
  for (const queue of [store.queueMessages, store.queueCauses])
    queued += await queueAll(core, () => queue(core.db, new Date(core.clock())))
  return queued > 0
}

/** Repeats a statement that queues some pushes, until there are no more; how many it queued. */
async function queueAll({ closing }: Core, queue: () => Promise<store.QueueingResult>): Promise<number> {
  let queued = 0
  let found: store.QueueingResult
  do {
    found = await queue()
    queued += found.queued
  } while (found.looked > 0 && !closing.aborted)
  return queued
}

/** Queues pushes for those who want to be told at this hour that practice is due. */
export async function findPractice(core: Core): Promise<void> {
  const at = { now: new Date(core.clock()), timezone: core.config.timezone }
  let after = 0
  while (!core.closing.aborted) {
    const people = await store.listToTell(core.db, at, after)
    for (const userId of people)
      if (await hasDue(core, userId)) await store.queuePractice(core.db, at, userId)
    const last = people.at(-1)
    if (last === undefined) return
    after = last
  }
}

/** Queues pushes for exams that open soon. */
export async function findOpenings(core: Core): Promise<void> {
  const now = core.clock()
  await queueAll(core, () => store.queueOpenings(core.db, new Date(now), new Date(now + OPENING_MS)))
}
