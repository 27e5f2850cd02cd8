import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'drizzle-orm'
import { Type } from 'typebox'
import type { Core } from '../../core.ts'
import { VERSION } from '../../version.ts'
import { withDeadline } from '../load/deadline.ts'

const Health = Type.Object({ success: Type.Literal(true), status: Type.String(), version: Type.String() })
const Readiness = Type.Object({
  success: Type.Boolean(),
  status: Type.String(),
  database: Type.String(),
  bus: Type.String(),
})

/** For orchestrators (docs/protocol/operations.md#endpoints): is the process up, and can it serve? */
export const operationsRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  const config = { whileClosing: true, turns: 'none' } as const
  const askDatabase = shared(() => answers(() => core.db.execute(sql`select 1`)))
  const askBus = shared(() => answers(() => core.bus.ping()))

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
        summary: 'Database and bus answer, and the node is not draining',
        tags: ['operations'],
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (_request, reply) => {
      const [database, bus] = await Promise.all([askDatabase(), askBus()])
      const draining = core.draining.aborted
      const ready = !draining && database && bus
      return reply.code(ready ? 200 : 503).send({
        success: ready,
        status: draining ? 'draining' : ready ? 'ready' : 'not ready',
        database: database ? 'up' : 'down',
        bus: bus ? 'up' : 'down',
      })
    },
  )
}

/** Work that those who ask for it while it runs share, however many they are. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

/** How long a probe waits for the database or the bus. */
const PROBE_TIMEOUT_MS = 2_000

async function answers(probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await withDeadline(probe(), PROBE_TIMEOUT_MS)
    return true
  } catch {
    return false
  }
}
