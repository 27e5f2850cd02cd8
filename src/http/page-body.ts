import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'

/** An HTML page, as routes declare it. */
export const Page = { content: { 'text/html': { schema: Type.String() } } }
export const redirects = { 303: Type.Null({ description: 'a browser goes on to `location`' }) }

export function sendPage(reply: FastifyReply, page: string) {
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page)
}

export function accepts(request: FastifyRequest, type: string): boolean {
  return request.headers.accept?.toLowerCase().includes(type) ?? false
}
