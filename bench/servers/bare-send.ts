/**
 * The least that Fastify can do to store a message: the same check of the token and the same statement, and nothing
 * else that the service does. With SHARED, sends that wait for the database share a statement, as in the service.
 */
import Fastify from 'fastify'
import type { Core } from '../../src/core.ts'
import { HELD } from '../../src/db/batches.ts'
import { connectDatabase } from '../../src/db/database-client.ts'
import { createSender } from '../../src/features/chat/messages/sending.service.ts'
import { insertMessages, type Send, type SentRow } from '../../src/features/chat/messages/sending.store.ts'
import { registerTokens, verifyToken } from '../../src/http/caller-tokens.ts'

const db = connectDatabase({ url: process.env.DATABASE_URL as string, pool: 10 })
/** The part of a node's core that tokens need. */
const core = { jwtSecrets: [process.env.JWT_SECRET as string], clock: Date.now } as unknown as Core
const app = Fastify()
await registerTokens(app, core)
const sendShared = createSender(db)
let stored = 0

async function sendAlone(send: Send): Promise<SentRow | undefined> {
  stored += 1
  for (;;) {
    const [row] = await insertMessages(db, [send], Math.floor(Math.log2(stored)))
    if (row !== HELD) return row
  }
}

const params = { type: 'object', properties: { id: { type: 'integer' } } }
const body = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string', minLength: 1, maxLength: 4_000 } },
}
const message = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    seq: { type: 'integer' },
    version: { type: 'integer' },
    sender_id: { type: 'integer' },
    sender_name: { type: 'string' },
    message: { type: 'string' },
    created_at: { type: 'string' },
  },
}
const answer = { type: 'object', properties: { success: { type: 'boolean' }, message } }

app.post<{ Params: { id: number }; Body: { message: string } }>(
  '/api/v01/chat/conversations/:id/messages',
  { schema: { params, body, response: { 201: answer } } },
  async (request, reply) => {
    const claims = verifyToken(
      app,
      'access',
      (request.headers.authorization ?? '').slice('Bearer '.length),
      core,
    )
    if (!claims) return reply.code(401).send()
    const send = {
      conversationId: request.params.id,
      senderId: claims.userId,
      message: request.body.message,
      clientId: null,
      replyToId: null,
      replyToText: null,
      replyToName: null,
      attachmentIds: [],
      mentions: [],
    }
    const row = await (process.env.SHARED ? sendShared(send) : sendAlone(send))
    if (typeof row !== 'object') return reply.code(404).send()
    return reply.code(201).send({
      success: true,
      message: {
        ...row,
        sender_id: claims.userId,
        message: send.message,
        created_at: row.createdAt.toISOString(),
      },
    })
  },
)

process.on('disconnect', () => process.exit())
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
