import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { renderFailure, toAppError } from './failures.ts'

/** One server-sent event; its data goes out as JSON. */
export interface StreamEvent {
  event: string
  data: object
}

/** What a route declares beside its JSON answer where it can stream. */
export const EventStream = Type.String({ description: '`text/event-stream`' })
export type EventStream = Static<typeof EventStream>

export function wantsEvents({ headers }: FastifyRequest): boolean {
  return /\btext\/event-stream\b/i.test(headers.accept ?? '')
}

/**
 * Sends events as they come, as fast as the client reads them; when it goes away, `events` is closed. A
 * failure is the last event, `error`: the answer's status is out by then.
 */
export function sendEvents(request: FastifyRequest, reply: FastifyReply, events: AsyncIterable<StreamEvent>) {
  return reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-cache, no-transform')
    .header('x-accel-buffering', 'no')
    .send(Readable.from(encode(request, events)))
}

async function* encode(request: FastifyRequest, events: AsyncIterable<StreamEvent>) {
  try {
    for await (const event of events) yield write(event)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.status >= 500)
      request.log.error({ err: error.cause ?? error, code: error.code }, 'a stream failed')
    const { success: _, status: __, ...data } = renderFailure(error, 'success')
    yield write({ event: 'error', data })
  }
}

function write({ event, data }: StreamEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
