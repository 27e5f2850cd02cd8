import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'drizzle-orm'
import { Type } from 'typebox'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import { shared } from '../scheduling/shared.ts'
import { VERSION } from '../version.ts'
import { withDeadline } from './deadline.ts'

const Health = Type.Object({ success: Type.Literal(true), status: Type.String(), version: Type.String() })
const parts = { status: Type.String(), database: Type.String(), bus: Type.String(), jobs: Type.String() }
const Ready = Type.Object({ success: Type.Literal(true), ...parts })
const NotReady = Type.Object({
  success: Type.Literal(false),
  code: Type.Union([Type.Literal('draining'), Type.Literal('unavailable')]),
  message: Type.String(),
  ...parts,
})

/** For orchestrators (docs/protocol/operations.md#endpoints): is the process up, and can it serve? */
export const operationsRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const config = { whileClosing: true, budget: 'none' } as const
  const askDatabase = shared(() => isDatabaseUp(core))
  const askBus = shared(() => lookAtBus(core))

  app.get(
    '/healthz',
    {
      config,
      schema: {
        operationId: 'getHealth',
        summary: 'The process is up',
        tags: ['operations'],
        response: { 200: Health },
      },
    },
    async () => ({ success: true as const, status: 'up', version: VERSION }),
  )

  app.get(
    '/readyz',
    {
      config,
      schema: {
        operationId: 'getReadiness',
        summary: 'The database answers, and the node is not draining',
        description:
          'Two parts may be `down` while the node serves: `bus`, then what other nodes publish comes later; and `jobs`, then ' +
          'jobs of generating questions wait and no node works on any. `bus` is `alone` where other nodes serve the same ' +
          'database and share no Redis with this one.',
        tags: ['operations'],
        response: { 200: Ready, 503: NotReady },
      },
    },
    async (_request, reply) => {
      const [database, bus] = await Promise.all([askDatabase(), askBus()])
      const state = { bus, jobs: core.jobs.standing.isStill ? 'down' : 'up' }
      const draining = core.draining.aborted
      if (database && !draining) return { success: true as const, status: 'ready', database: 'up', ...state }
      const code = draining ? 'draining' : 'unavailable'
      // Not thrown: a probe that asks every second would fill the log.
      return reply.code(503).send({
        success: false,
        code,
        message: new AppError(code).message,
        status: draining ? 'draining' : 'not ready',
        database: database ? 'up' : 'down',
        ...state,
      })
    },
  )
}

const DATABASE_TIMEOUT_MS = 2_000

/** Redis has less time: proxies wait two seconds for an answer that doesn't depend on it. */
const BUS_TIMEOUT_MS = 1_000

export function isDatabaseUp({ db }: Core): Promise<boolean> {
  return answers(() => db.execute(sql`select 1`), DATABASE_TIMEOUT_MS)
}

/** `alone`: it carries this node’s events, but not to all other nodes. */
export async function lookAtBus({ bus, nodes }: Core): Promise<'up' | 'down' | 'alone'> {
  if (!(await answers(() => bus.ping(), BUS_TIMEOUT_MS))) return 'down'
  return nodes.areApart ? 'alone' : 'up'
}

async function answers(probe: () => Promise<unknown>, timeoutMs: number): Promise<boolean> {
  try {
    await withDeadline(probe(), timeoutMs)
    return true
  } catch {
    return false
  }
}
