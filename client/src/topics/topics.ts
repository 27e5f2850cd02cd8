import type { MethodResponse } from 'openapi-fetch'
import type { Client } from '../index.ts'
import { Watch } from './watch.ts'

export { Watch, type Watched, type WatchOptions } from './watch.ts'

export type Discussion = MethodResponse<Client, 'get', '/api/v01/discussions/{question_id}'>
export type Job = MethodResponse<Client, 'get', '/api/v01/admin/ai/status/{job_id}'>

/** A question's discussion, kept up to date. */
export function watchDiscussion(client: Client, questionId: number): Watch<Discussion> {
  const params = { path: { question_id: questionId } }
  return new Watch(client, {
    topic: `question:${questionId}`,
    read: () => client.GET('/api/v01/discussions/{question_id}', { params }),
    // undefined reads the discussion again: the service decides the order of its comments.
    apply: (discussion, frame) =>
      frame.type === 'comment' && frame.question_id === questionId ? undefined : discussion,
  })
}

/** A generation job's progress, and its questions once it is done. For administrators. */
export function watchJob(client: Client, jobId: string): Watch<Job> {
  const params = { path: { job_id: jobId } }
  return new Watch(client, {
    topic: `ai_job:${jobId}`,
    read: () => client.GET('/api/v01/admin/ai/status/{job_id}', { params }),
    apply(job, frame) {
      if (frame.type !== 'ai_job' || frame.job_id !== jobId) return job
      const { type: _, ...progress } = frame
      return progress.status === 'running' ? { ...job, ...progress } : undefined
    },
  })
}
