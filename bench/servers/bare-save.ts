/**
 * The least that Fastify can do to save an answer: the same check of the token and the same statement, and nothing
 * else that the service does. With SHARED, saves that wait for the database share a statement, as in the service.
 */
import Fastify from 'fastify'
import type { Core } from '../../src/core.ts'
import { batched, HELD } from '../../src/db/batches.ts'
import { connectDatabase } from '../../src/db/database-client.ts'
import { type Sync, saveAnswers } from '../../src/features/attempts/saving.store.ts'
import { registerTokens, verifyToken } from '../../src/http/caller-tokens.ts'

const GRACE_MS = 30_000
const db = connectDatabase({ url: process.env.DATABASE_URL as string, pool: 10 })
/** The part of a node's core that tokens need. */
const core = { jwtSecrets: [process.env.JWT_SECRET as string], clock: Date.now } as unknown as Core
const rows = await db.$client<{ id: number; user_id: number }[]>`
  select id, user_id from attempts where status = 'active'`
const attempts = new Map(rows.map(({ id, user_id }) => [user_id, id]))
const run = (syncs: Sync[]) => saveAnswers(db, syncs, GRACE_MS)
const save = process.env.SHARED
  ? batched({ lanes: 2, size: 64, key: ({ attemptId }) => attemptId, run })
  : async (sync: Sync) => {
      for (;;) {
        const [saved] = await run([sync])
        if (saved !== HELD) return saved
      }
    }
const app = Fastify()
await registerTokens(app, core)

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
    const claims = verifyToken(
      app,
      'access',
      (request.headers.authorization ?? '').slice('Bearer '.length),
      core,
    )
    const attemptId = claims && attempts.get(claims.userId)
    if (attemptId === undefined) return reply.code(401).send()
    const { answers, markedForReview = null, revision = null } = request.body
    const at = Date.now()
    const saved = await save({ attemptId, answers: JSON.stringify(answers), markedForReview, revision, at })
    if (typeof saved !== 'object') return reply.code(409).send()
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
