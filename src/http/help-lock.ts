import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppError } from '../errors.ts'
import type { Claims } from '../tokens.ts'
import { withFailures } from './failures.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its own statement decides whether help is locked: here that is only checked after a failure. */
    decidesHelpLock?: true
  }
}

/**
 * All routes that are registered on `scope` from now on are help: 403 `exam_in_progress`, before any other failure,
 * while the caller has an attempt under way at an exam that locks help. `findRefusal` decides.
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
    // Routes that decide by themselves get no extra hook.
    if (route.config?.decidesHelpLock)
      route.errorHandler = async (error, request) => {
        // null if the request was refused before the caller was known.
        const caller: Claims | null = request.caller
        throw (caller && (await findRefusal(caller.userId))) ?? error
      }
    else route.onRequest = [route.onRequest ?? [], refuse].flat()
  })
}
