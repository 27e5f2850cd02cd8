import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../../errors.ts'
import { FairQueue } from '../../fair-queue.ts'
import { isTooDeep } from '../../json-depth.ts'
import { askerOf } from '../requests.ts'

/** Answers with a JSON text; the route's schema only describes it. */
export function sendJson(reply: Pick<FastifyReply, 'type'>, json: string | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** Characters of a body that anybody's may have at any time. */
const LARGE = 32 * 1024
/** Large bodies that may wait to be read. */
const MOST_WAITING = 100

/**
 * Reads JSON bodies. While one is parsed and checked, nobody else is served: so those that are too deep for any
 * operation are refused, and large ones take turns, with as long a pause after each as it took. (Some clients name JSON as
 * the type of requests without a body: that is no body, not a broken one.)
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
