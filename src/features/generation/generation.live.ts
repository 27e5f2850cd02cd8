import { AppError } from '../../errors.ts'
import type { LivePlugin } from '../../gateway/live-plugin.ts'
import { isAdmin } from '../../http/callers.ts'
import { requireJob } from './generation.service.ts'

/** Generation jobs on sockets: their progress, for administrators who subscribed to one. */
export const generationLive: LivePlugin = (core) => ({
  topics: {
    ai_job: {
      async admit(topic, claims) {
        if (!isAdmin(claims)) throw new AppError('forbidden')
        await requireJob(core.db, topic.slice('ai_job:'.length))
      },
      maySee: async ({ kind }, claims) => kind === 'frame' && isAdmin(claims),
      toFrame(event) {
        if (event.kind !== 'frame') throw new Error(`nobody sees ${event.kind}`)
        return event.frame
      },
    },
  },
})
