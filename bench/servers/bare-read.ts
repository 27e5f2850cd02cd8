/**
 * The least that Fastify can do for a read: the token checked, one prepared statement, and rows of a usual shape made
 * into about as many bytes of JSON as the address asks for.
 */
import Fastify from 'fastify'
import type { Core } from '../../src/core.ts'
import { connectDatabase } from '../../src/db/database-client.ts'
import { registerTokens, verifyToken } from '../../src/http/caller-tokens.ts'

const ROW_BYTES = 160

const db = connectDatabase({ url: process.env.DATABASE_URL as string, pool: 10 })
/** The part of a node's core that tokens need. */
const core = { jwtSecrets: [process.env.JWT_SECRET as string], clock: Date.now } as unknown as Core
const app = Fastify()
await registerTokens(app, core)

const params = { type: 'object', properties: { bytes: { type: 'integer' } } }
const row = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    text: { type: 'string' },
    created_at: { type: 'string' },
    count: { type: 'integer' },
    is_own: { type: 'boolean' },
  },
}
const answer = {
  type: 'object',
  properties: { success: { type: 'boolean' }, rows: { type: 'array', items: row } },
}

app.get<{ Params: { bytes: number } }>(
  '/bare/:bytes',
  { schema: { params, response: { 200: answer } } },
  async (request, reply) => {
    const token = (request.headers.authorization ?? '').slice('Bearer '.length)
    if (!verifyToken(app, 'access', token, core)) return reply.code(401).send()
    const rows = await db.$client`
      select n as id, 'Somebody number ' || n as name, 'A text of the usual length, as one would write it' as text,
             '2026-01-01T00:00:00.000Z' as created_at, 12 as count, false as is_own
        from generate_series(1, ${Math.round(request.params.bytes / ROW_BYTES)}::int) n`
    return { success: true, rows }
  },
)

process.on('disconnect', () => process.exit())
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
