import type { LivePlugin } from '../../gateway/live-plugin.ts'
import { type Person, sendTo } from '../../gateway/person.ts'
import { FairQueue } from '../../scheduling/fair-queue.ts'
import { countWaiting } from './practice.service.ts'

/**
 * Practice on sockets: what waits for a person, where it has changed. A few people are counted at once, each of them
 * once for many reviews in the meantime.
 */
export const practiceLive: LivePlugin = (core) => {
  const counts = new FairQueue({ places: 8, each: 1, waiting: Number.POSITIVE_INFINITY })
  const changed = new Set<Person>()

  async function tell(person: Person): Promise<void> {
    if (!changed.delete(person)) return
    try {
      sendTo(person, { type: 'practice', ...(await countWaiting(core, person.userId)) })
    } catch (error) {
      core.log.warn({ err: error }, 'what waits to be practised could not be counted')
    }
  }

  return {
    receive(person, { kind }) {
      if (kind !== 'practice' || changed.has(person)) return
      changed.add(person)
      void counts.run({ name: String(person.userId) }, () => tell(person))
    },
    close: () => changed.clear(),
  }
}
