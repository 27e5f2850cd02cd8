import type { LivePlugin } from '../../gateway/live-plugin.ts'
import { type Person, sendTo } from '../../gateway/person.ts'
import { countWaiting } from './practice.service.ts'

/**
 * Practice on sockets: what waits for a person, where it has changed. People are counted one after another, so that
 * many reviews in the meantime are one count.
 */
export const practiceLive: LivePlugin = (core) => {
  const changed = new Set<Person>()
  let isCounting = false

  async function tellAll(): Promise<void> {
    for (const person of changed) {
      changed.delete(person)
      try {
        sendTo(person, { type: 'practice', ...(await countWaiting(core, person.userId)) })
      } catch (error) {
        core.log.warn({ err: error }, 'what waits to be practised could not be counted')
      }
    }
    isCounting = false
  }

  return {
    receive(person, { kind }) {
      if (kind !== 'practice') return
      changed.add(person)
      if (isCounting) return
      isCounting = true
      void tellAll()
    },
    close: () => changed.clear(),
  }
}
