import type { FastifyInstance } from 'fastify'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered even while the node is closing. */
    whileClosing?: true
  }
}

/**
 * While a node drains, each answer closes its connection. Once the node is closing, new requests are refused
 * (docs/protocol/operations.md#draining); running ones go on.
 */
export function registerDraining(app: FastifyInstance, { draining, closing }: Core): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (draining.aborted || closing.aborted) reply.header('connection', 'close')
    const refused = closing.aborted && !request.routeOptions.config.whileClosing
    done(refused ? new AppError('draining', { retryAfter: 1 }) : undefined)
  })
}
