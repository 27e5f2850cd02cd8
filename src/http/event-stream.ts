import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { failureFields, logFailure, toAppError } from './failures.ts'

/** One server-sent event; its data goes out as JSON. */
export interface StreamEvent {
  event: string
  data: object
}

/** The schema of a route that answers JSON (`answer`) or a stream of events (`event`), by `Accept`. */
export function streamable<T extends TSchema>(answer: T, event: TSchema) {
  const stream = Type.String({
    description: 'server-sent events; the name and the data of each are as `contentSchema` says',
    contentSchema: event,
  })
  return Type.Unsafe<Static<T> | FastifyReply>({
    description: 'the whole answer, or events',
    content: { 'application/json': { schema: answer }, 'text/event-stream': { schema: stream } },
  })
}

/**
 * Sends events as fast as the client reads them. If the client goes away, `events` is closed. A failure becomes the
 * last event, `error`, because the status has been sent by then.
 */
export function sendEvents(request: FastifyRequest, reply: FastifyReply, events: AsyncIterable<StreamEvent>) {
  return reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store, no-transform')
    .header('x-accel-buffering', 'no')
    .send(Readable.from(encode(request, events)))
}

async function* encode(request: FastifyRequest, events: AsyncIterable<StreamEvent>) {
  try {
    for await (const event of events) yield write(event)
  } catch (thrown) {
    const error = toAppError(thrown)
    logFailure(error, request.log, 'stream')
    yield write({ event: 'error', data: failureFields(error) })
  }
}

function write({ event, data }: StreamEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
