import Fastify from 'fastify'
import { batched } from '../../src/db/batches.ts'
import { connectDatabase } from '../../src/db/client.ts'
import { type Sync, saveAnswers } from '../../src/features/attempts/saving-store.ts'
import { createTokens } from '../../src/tokens.ts'

/**
 * As little as Fastify can do for a saved answer: the same check of the token and the same statement, and
 * nothing else that the service does; no answer is checked. With SHARED, syncs that wait for the database
 * share a statement, too.
 */
const GRACE_MS = 30_000
const db = connectDatabase({ url: process.env.DATABASE_URL as string, pool: 10 })
const tokens = createTokens([process.env.JWT_SECRET as string], Date.now)
const rows = await db.$client<{ id: number; user_id: number }[]>`
  select id, user_id from attempts where status = 'active'`
const attempts = new Map(rows.map(({ id, user_id }) => [user_id, id]))
const run = (syncs: Sync[]) => saveAnswers(db, syncs, GRACE_MS)
const save = process.env.SHARED
  ? batched({ lanes: 2, size: 64, key: ({ attemptId }) => attemptId, run })
  : async (sync: Sync) => (await run([sync]))[0]
const app = Fastify()

const body = {
  type: 'object',
  required: ['answers'],
  properties: {
    answers: { type: 'object' },
    markedForReview: { type: 'array', items: { type: 'integer' } },
    revision: { type: 'integer' },
  },
}
const answer = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    saved: { type: 'integer' },
    revision: { type: 'integer' },
    saved_at: { type: 'string' },
  },
}

app.put<{ Body: { answers: object; markedForReview?: number[]; revision?: number } }>(
  '/api/v01/exams/:id/answers',
  { schema: { body, response: { 200: answer } } },
  async (request, reply) => {
    const claims = tokens.verify('access', (request.headers.authorization ?? '').slice('Bearer '.length))
    const attemptId = claims && attempts.get(claims.userId)
    if (attemptId === undefined) return reply.code(401).send()
    const { answers, markedForReview = null, revision = null } = request.body
    const at = Date.now()
    const saved = await save({ attemptId, answers: JSON.stringify(answers), markedForReview, revision, at })
    if (!saved) return reply.code(409).send()
    return {
      success: true,
      saved: Object.keys(answers).length,
      revision: saved.revision,
      saved_at: new Date(at).toISOString(),
    }
  },
)

process.on('disconnect', () => process.exit())
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
