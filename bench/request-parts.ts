import { createServer, type Server } from 'node:http'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Core } from '../src/core.ts'
import { registerAdmission } from '../src/http/admission.ts'
import { bearerToken, registerTokens, verifyToken } from '../src/http/caller-tokens.ts'
import { guardUsers } from '../src/http/callers.ts'
import { registerDeadline } from '../src/http/deadline.ts'
import { registerDraining } from '../src/http/draining.ts'
import { refuseEncodedBodies } from '../src/http/encoded-body.ts'
import { registerEtags } from '../src/http/etags.ts'
import { registerFailures } from '../src/http/failures.ts'
import { registerMetrics } from '../src/http/metrics.routes.ts'
import { BoundedMessage, oneAfterAnother } from '../src/http/pipelining.ts'
import { logController, nameRequest, registerRequestLog } from '../src/http/request-log.ts'
import { registerCrossSiteGuard } from '../src/http/same-site.ts'
import { registerSecurityHeaders } from '../src/http/security-headers.ts'

interface Part {
  name: string
  /** What it is for. */
  purpose: string
  /** Left out: it is a part of the server itself. */
  add?: (app: FastifyInstance, core: Core) => unknown
}

/** What every request of somebody who has signed in passes through, in the order of `src/app.ts`. */
export const PARTS = [
  { name: 'one after another', purpose: 'pipelined requests of a connection, crumbs of bodies' },
  {
    name: 'id and log',
    purpose: 'x-request-id, a line for each refusal',
    add: (app) => registerRequestLog(app),
  },
  {
    name: 'security headers',
    purpose: 'restrictions of browsers, no caching',
    add: (app) => registerSecurityHeaders(app),
  },
  { name: 'draining', purpose: 'refuses while the node closes', add: registerDraining },
  {
    name: 'deadline',
    purpose: '503 in time, slow readers',
    add: (app, { config }) => registerDeadline(app, config.requestTimeoutMs),
  },
  { name: 'turns', purpose: 'nobody delays others; long bodies', add: registerAdmission },
  { name: 'encoded bodies', purpose: 'refuses compressed bodies', add: (app) => refuseEncodedBodies(app) },
  { name: 'ETag', purpose: '304 for what a client has', add: (app) => registerEtags(app) },
  {
    name: 'compression',
    purpose: 'of longer answers',
    add: (app) =>
      app.register(compress, { threshold: 4_096, encodings: ['br', 'gzip'], globalDecompression: false }),
  },
  { name: 'cookies', purpose: "the browser's session", add: (app) => app.register(cookie) },
  {
    name: 'other sites',
    purpose: 'refuses changes that they forge',
    add: (app, { config }) => registerCrossSiteGuard(app, config),
  },
  { name: 'durations', purpose: 'metrics by route', add: registerMetrics },
  { name: 'caller', purpose: 'the session is live', add: guardUsers },
] as const satisfies Part[]

/** A route that answers a constant to a valid token, behind the first `count` parts. */
export async function buildPart(core: Core, count: number): Promise<FastifyInstance> {
  const parts: Part[] = PARTS.slice(0, count)
  const has = (name: (typeof PARTS)[number]['name']) => parts.some((part) => part.name === name)
  const app = Fastify({
    serverFactory: (handle): Server =>
      has('one after another')
        ? createServer({ IncomingMessage: BoundedMessage }, oneAfterAnother(handle))
        : createServer(handle),
    ...(has('id and log')
      ? { loggerInstance: core.log, logController, genReqId: nameRequest }
      : { logger: false }),
  })
  await registerTokens(app, core)
  registerFailures(app)
  for (const part of parts) if (part.name !== 'caller') await part.add?.(app, core)
  const routes: FastifyPluginAsync = async (scope) => {
    if (has('caller')) guardUsers(scope, core)
    scope.get('/constant', { schema: { response: { 200: Answer } } }, async (request) => {
      if (!has('caller')) verifyToken(app, 'access', bearerToken(request.headers.authorization) ?? '', core)
      return ANSWER
    })
  }
  await app.register(routes)
  return app
}

const Answer = Type.Object({ success: Type.Boolean(), unread: Type.Integer(), requests: Type.Integer() })
const ANSWER = { success: true, unread: 12, requests: 3 }
