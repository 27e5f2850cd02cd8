import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { AppError } from '../errors.ts'

const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>()

/**
 * Answers 503 where a handler takes too long (contract §1: never a hang), be it `milliseconds` or its route's own
 * `handlerTimeout`. Fastify's timer of that name ends as soon as a request's body was read (5.12), and so
 * never fires for a POST.
 */
export function registerDeadline(app: FastifyInstance, milliseconds: number): void {
  app.addHook('onRoute', (route) => {
    const startTimer = timerOf(route.handlerTimeout || milliseconds)
    route.onRequest = [startTimer, ...[route.onRequest ?? []].flat()]
  })
  app.addHook('onResponse', (request, _reply, done) => {
    clearTimeout(timers.get(request))
    done()
  })
}

function timerOf(milliseconds: number): onRequestHookHandler {
  return (request, reply, done) => {
    const answer = () => {
      if (!reply.sent) void reply.send(new AppError('unavailable', { retryAfter: 2 }))
    }
    timers.set(request, setTimeout(answer, milliseconds).unref())
    done()
  }
}
