import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'

/** An HTML page, as routes declare it. */
export const Page = { content: { 'text/html': { schema: Type.String() } } }
export const redirects = { 303: Type.Null({ description: 'a browser goes on to `location`' }) }

export function sendPage(reply: FastifyReply, page: string) {
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page)
}
