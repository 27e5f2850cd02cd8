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

/** `unavailable` where work outside of a request takes too long, too; it goes on unheeded. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AppError('unavailable', { retryAfter: 2 })), milliseconds).unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
