import type { FastifyInstance } from 'fastify'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'

/**
 * How long a node goes on listening once it leaves: long enough for a proxy to see it in `/readyz`, and for
 * the node's sockets to be closed bit by bit.
 */
export const DRAIN_MS = 3_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered while the node is draining, too. */
    whileDraining?: true
  }
}

/** Refuses what comes in while the node is draining (realtime.md, promise 5); what is in flight goes on. */
export function registerDraining(app: FastifyInstance, { draining }: Core): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!draining.aborted) {
      done()
      return
    }
    reply.header('connection', 'close')
    done(request.routeOptions.config.whileDraining ? undefined : new AppError('draining', { retryAfter: 1 }))
  })
}
