import { MAX_INT } from '../../../schemas/common.ts'
import type { FrameEvent } from '../../bus/events.ts'
import { AppError } from '../../errors.ts'
import type { LivePlugin } from '../../gateway/live-plugin.ts'
import { viewerOf } from '../../http/callers.ts'
import { requireMember } from './class-access.service.ts'
import { mayReadClass } from './class-news.service.ts'

/** Classes on sockets: their news and materials, for members who subscribed to one. */
export const classNewsLive: LivePlugin = (core) => ({
  topics: {
    class: {
      async admit(topic, claims) {
        const classId = Number(topic.slice('class:'.length))
        if (classId > MAX_INT) throw new AppError('not_found')
        await requireMember(core.db, viewerOf(claims), classId)
      },
      maySee: async ({ frame }: FrameEvent, claims) =>
        (frame.type === 'class_news' || frame.type === 'material') &&
        mayReadClass(core, frame.class_id, viewerOf(claims)),
      toFrame: ({ frame }) => frame,
    },
  },
})
