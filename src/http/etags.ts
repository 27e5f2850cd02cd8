import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { addVary } from './vary.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer is sent while it is made, so nothing can be said about its content before. */
    isStreamed?: true
  }
}

/** The schema of the answer 304. */
export const NotModified = Type.Null({ description: 'not changed: `if-none-match` has its current tag' })

/**
 * Every GET that answers JSON at once has a tag of its content, and answers 304 to a client that has the same content
 * (docs/protocol/http.md#reading-again). Tags are weak, since a proxy may compress the answer. Register it before
 * compression, so that the tag is that of the content.
 */
export function registerEtags(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // GET and HEAD have routes of their own; the HEAD route removes the body.
    if (!/^(GET|HEAD)$/.test(String(route.method)) || route.schema?.hide || !answersWholeJson(route)) return
    const response = { ...(route.schema?.response as Record<string, TSchema>) }
    route.schema = { ...route.schema, response: { ...response, 304: NotModified } }
    route.onSend = [
      (request: FastifyRequest, reply: FastifyReply, payload: unknown, done) => {
        if (reply.statusCode !== 200 || typeof payload !== 'string') {
          done(null, payload)
          return
        }
        const etag = etagOf(payload)
        reply.header('etag', etag)
        addVary(reply, 'accept-encoding')
        if (!isHeld(request.headers['if-none-match'], etag)) {
          done(null, payload)
          return
        }
        reply.code(304).removeHeader('content-type').removeHeader('content-length')
        done(null, null)
      },
      ...[route.onSend ?? []].flat(),
    ]
  })
}

/** The tag of an answer's body: the same on all nodes. */
export function etagOf(payload: string): string {
  return `W/"${hash('sha1', payload, 'base64url')}"`
}

/** Answers that what the asker has is what there is. */
export function sendNotModified(reply: FastifyReply, etag: string): FastifyReply {
  addVary(reply, 'accept-encoding')
  return reply.header('etag', etag).code(304).send()
}

/** Whether one of the tags in `If-None-Match` is this one; weak and strong ones count as equal. */
export function isHeld(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const tags = header.split(',').map((tag) => bare(tag.trim()))
  return tags.includes('*') || tags.includes(bare(etag))
}

function bare(tag: string): string {
  return tag.replace(/^W\//, '')
}

function answersWholeJson({ schema, config }: RouteOptions): boolean {
  const answer = (schema?.response as Record<string, TSchema & { content?: unknown }> | undefined)?.[200]
  return answer !== undefined && answer.content === undefined && !config?.isStreamed
}
