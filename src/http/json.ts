import type { FastifyInstance, FastifyReply } from 'fastify'

/** Answers with JSON that is written already; the route's schema still describes it. */
export function sendJson(reply: Pick<FastifyReply, 'type'>, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/**
 * An empty body is no body, whatever the content type says: many clients name JSON with every request, a
 * DELETE or a toggle without fields included. A route that needs fields misses them by name.
 */
export function registerJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parse(request, body, done),
  )
}
