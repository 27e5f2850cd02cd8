import type { LivePlugin } from '../../gateway/live-plugin.ts'
import { countUnread, listTold } from './notices.service.ts'

/** People that one statement looks up. */
const PEOPLE_AT_ONCE = 200

/** Notices on sockets, of those who have one on this node. */
export const noticesLive: LivePlugin = (core, people) => {
  /** They are told one after another, so that a later frame has the later number. */
  let told = Promise.resolve()

  async function tell(ids: number[]): Promise<void> {
    try {
      for (const { userId, unread, notice } of await listTold(core, ids))
        for (const connection of people.find(userId)?.connections ?? [])
          connection.send({ type: 'notice', notice: notice(connection.language), unread })
    } catch (error) {
      core.log.warn({ err: error }, 'notices could not be told')
    }
  }

  core.bus.subscribe('notices', ({ written }) => {
    const here = written.filter(({ userId }) => people.find(userId)).map(({ id }) => id)
    for (let at = 0; at < here.length; at += PEOPLE_AT_ONCE) {
      const some = here.slice(at, at + PEOPLE_AT_ONCE)
      told = told.then(() => tell(some))
    }
  })
  return {
    greet: async ({ userId }) => ({ unread_notices: await countUnread(core, userId) }),
  }
}
