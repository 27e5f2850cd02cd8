import { MAX_INT } from '../../../schemas/common.ts'
import type { ClientTopic, FrameEvent } from '../../bus/events.ts'
import { AppError } from '../../errors.ts'
import type { LivePlugin } from '../../gateway/live-plugin.ts'
import { viewerOf } from '../../http/callers.ts'
import { watchedExams } from '../attempts/watched-exams.ts'
import { notePage, type RoomScope, requireWatcher } from './live-room.service.ts'
import { roomsOf } from './rooms.ts'

/** `live:<exam>` or `live:<exam>:<class>`; 404 for ids that nothing has. */
function scopeOf(topic: ClientTopic): RoomScope {
  const [examId = 0, classId] = topic.split(':').slice(1).map(Number)
  if (examId > MAX_INT || (classId ?? 0) > MAX_INT) throw new AppError('not_found')
  return { examId, classId }
}

/** Live rooms on sockets: their frames, for who watches them, and what papers say of themselves. */
export const liveRoomLive: LivePlugin = (core) => {
  // From now on this node hears which exams are watched.
  watchedExams(core)
  const rooms = roomsOf(core)
  return {
    topics: {
      live: {
        admit: async (topic, claims) => requireWatcher(core, viewerOf(claims), scopeOf(topic)),
        listen: (topic, listener) => rooms.watch(topic, scopeOf(topic), listener),
        async maySee({ frame }: FrameEvent, claims) {
          if (frame.type !== 'live') return false
          const scope = { examId: frame.exam_id, classId: frame.class_id }
          return requireWatcher(core, viewerOf(claims), scope).then(
            () => true,
            (error) => {
              if (error instanceof AppError) return false
              throw error
            },
          )
        },
        toFrame: ({ frame }) => frame,
      },
    },
    commands: {
      async page(connection, { exam_id, away, ref }) {
        await notePage(core, connection.claims.userId, exam_id, away)
        return ref === undefined ? undefined : {}
      },
    },
    close: () => rooms.close(),
  }
}
