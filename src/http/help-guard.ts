import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppError, ErrorCode } from '../errors.ts'
import type { Claims } from '../tokens/tokens.ts'
import { addCheck, isAdmin } from './callers.ts'
import { addRefusals, toAppError } from './failures.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's own SQL statement refuses while help is locked, so the guard only looks after a failure. */
    decidesHelpLock?: true
  }
}

const FAILURES: ReadonlySet<ErrorCode> = new Set(['unavailable', 'draining', 'internal_error'])

/**
 * Guards those of these routes that are registered on `scope` from now on: they answer 403 `exam_in_progress`, before
 * any other failure, while the caller has an active attempt at an exam that locks help. `findLock` decides, once the
 * whole body is there: nothing that is written after the exam began gets through. The help of administrators is never
 * locked.
 */
export function guardHelp(
  scope: FastifyInstance,
  findLock: (userId: number) => Promise<AppError | undefined>,
  routes: 'all' | 'forOwnExam' = 'all',
): void {
  const findRefusal = async (caller: Claims) => (isAdmin(caller) ? undefined : findLock(caller.userId))
  const refuse = async ({ caller }: FastifyRequest) => {
    const refusal = await findRefusal(caller)
    if (refusal) throw refusal
  }
  scope.addHook('onRoute', (route) => {
    if (routes === 'forOwnExam' && !route.config?.forOwnExam) return
    addRefusals(route, 'exam_in_progress')
    route.errorHandler = async (error, request) => {
      // null if the request was refused before the caller was known.
      const caller: Claims | null = request.caller
      // Where the database may be the reason, nobody waits for it once more.
      if (!caller || FAILURES.has(toAppError(error).code)) throw error
      throw (await findRefusal(caller)) ?? error
    }
    if (route.config?.decidesHelpLock) return
    route.preHandler = [route.preHandler ?? [], refuse].flat()
    addCheck(route, refuse)
  })
}
