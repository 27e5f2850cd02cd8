import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../../errors.ts'
import { isTooDeep } from '../../formats/json-depth.ts'
import { FairQueue } from '../../scheduling/fair-queue.ts'
import { askerOf } from '../requests.ts'

/** Answers with a JSON text; the route's schema only describes it. */
export function sendJson(reply: Pick<FastifyReply, 'type'>, json: string | Buffer | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** Bodies up to this many characters are read at once. */
const LARGE = 32 * 1024
/** Large bodies that may wait to be read. */
const MOST_WAITING = 100

/**
 * Reads JSON bodies. Parsing and checking one blocks the process: so bodies that are too deep for any operation are
 * refused, and large ones take turns, with a pause after each that is as long as its work. (Some clients send the
 * content type of JSON without a body: that counts as no body, not as invalid JSON.)
 */
export function registerJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const large = new FairQueue({ places: 1, waiting: MOST_WAITING })

  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    const read = () => {
      if (isTooDeep(body)) done(new AppError('invalid_json'))
      else void parse(request, body, done)
    }
    if (body === '') done(null)
    else if (body.length <= LARGE) read()
    else large.run(askerOf(request), () => withPause(read)).catch(done)
  })
}

async function withPause(work: () => void): Promise<void> {
  const began = performance.now()
  work()
  await sleep(performance.now() - began)
}
