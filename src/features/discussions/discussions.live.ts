import type { LivePlugin } from '../../gateway/live-plugin.ts'
import { viewerOf } from '../../http/callers.ts'
import { toEntry } from './discussion-thread.ts'
import { mayReadComment, requireQuestion } from './discussions.service.ts'

/** Discussions on sockets: what happens to the comments of a question, for those who subscribed to it. */
export const discussionsLive: LivePlugin = (core) => ({
  topics: {
    question: {
      async admit(topic, claims) {
        await requireQuestion(core, Number(topic.slice('question:'.length)), viewerOf(claims))
      },
      maySee: ({ comment }, claims) => mayReadComment(core, comment.question_id, viewerOf(claims)),
      toFrame: ({ action, comment }, readerId) => ({
        type: 'comment',
        question_id: comment.question_id,
        action,
        comment: { ...toEntry(comment, readerId), ...(action === 'created' ? { replies: [] } : {}) },
      }),
      ownerOf: ({ comment }) => comment.user_id,
    },
  },
})
