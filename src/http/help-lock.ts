import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppError } from '../errors.ts'
import type { Claims } from '../tokens/tokens.ts'
import { withFailures } from './failures.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's own SQL statement refuses while help is locked; this guard only runs after a failure. */
    decidesHelpLock?: true
  }
}

/**
 * Guards all routes that are registered on `scope` from now on: they answer 403 `exam_in_progress`, before any other
 * failure, while the caller has an active attempt at an exam that locks help. `findRefusal` decides.
 */
export function guardHelp(
  scope: FastifyInstance,
  findRefusal: (userId: number) => Promise<AppError | undefined>,
): void {
  const refuse = async ({ caller }: FastifyRequest) => {
    const refusal = await findRefusal(caller.userId)
    if (refusal) throw refusal
  }
  scope.addHook('onRoute', (route) => {
    route.schema = {
      ...route.schema,
      response: withFailures(route.schema?.response, 'exam_in_progress'),
    }
    if (route.config?.decidesHelpLock)
      route.errorHandler = async (error, request) => {
        // null if the request was refused before the caller was known.
        const caller: Claims | null = request.caller
        throw (caller && (await findRefusal(caller.userId))) ?? error
      }
    else route.onRequest = [route.onRequest ?? [], refuse].flat()
  })
}
