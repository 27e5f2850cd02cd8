import type { FastifyInstance, FastifyReply } from 'fastify'

/** Answers with JSON that is written already; the route's schema still describes it. */
export function sendJson(reply: Pick<FastifyReply, 'type'>, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** Clients that name JSON as every request's type send it without a body too: that is none, not a broken one. */
export function registerJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null)
    else void parse(request, body, done)
  })
}
