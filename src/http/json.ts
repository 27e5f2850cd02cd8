import type { FastifyReply } from 'fastify'

/** Answers with JSON that is written already; the route's schema still describes it. */
export function sendJson(reply: Pick<FastifyReply, 'type'>, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}
