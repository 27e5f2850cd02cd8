import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Answers with a JSON text; the route's schema only describes it. */
export function sendJson(reply: Pick<FastifyReply, 'type'>, json: string | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** Some clients send the content type of JSON without a body: that counts as no body, not as invalid JSON. */
export function registerJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null)
    else void parse(request, body, done)
  })
}
