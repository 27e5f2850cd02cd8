import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { Comment } from '../schemas/discussions.ts'
import type { Core } from './core.ts'
import { AppError } from './errors.ts'
import { accessAdminRoutes } from './features/access/admin.ts'
import { accessRoutes } from './features/access/routes.ts'
import { accountExportRoutes } from './features/account/export/routes.ts'
import { accountRoutes } from './features/account/routes.ts'
import { allowanceAdminRoutes } from './features/allowances/admin.ts'
import { analyticsAdminRoutes, overviewAdminRoutes } from './features/analytics/admin.ts'
import { itemAdminRoutes } from './features/analytics/items/admin.ts'
import { assistantRoutes } from './features/assistant/routes.ts'
import { attemptsLive } from './features/attempts/live.ts'
import { attemptRoutes } from './features/attempts/routes.ts'
import { auditAdminRoutes } from './features/audit/admin.ts'
import { authRoutes, newerAuthRoutes } from './features/auth/routes.ts'
import { categoryAdminRoutes } from './features/categories/admin.ts'
import { categoryRoutes } from './features/categories/routes.ts'
import { challengeAdminRoutes } from './features/challenges/admin.ts'
import { challengeRoutes } from './features/challenges/routes.ts'
import { chatLive } from './features/chat/live/live.ts'
import { messageRoutes } from './features/chat/messages/routes.ts'
import { chatRoutes } from './features/chat/routes.ts'
import { discussionAdminRoutes } from './features/discussions/admin.ts'
import { discussionsLive } from './features/discussions/live.ts'
import { discussionRoutes } from './features/discussions/routes.ts'
import { examAdminRoutes } from './features/exams/admin.ts'
import { examRoutes } from './features/exams/routes.ts'
import { generationAdminRoutes } from './features/generation/admin.ts'
import { generationLive } from './features/generation/live.ts'
import { helpLockLive } from './features/help-lock/live.ts'
import { findRefusal } from './features/help-lock/service.ts'
import { assetRoutes } from './features/notes/assets/routes.ts'
import { libraryRoutes } from './features/notes/library/routes.ts'
import { notebookRoutes } from './features/notes/notebooks/routes.ts'
import { notePageRoutes } from './features/notes/pages/routes.ts'
import { pageRoutes } from './features/pages/routes.ts'
import { questionAdminRoutes } from './features/questions/admin.ts'
import { exchangeAdminRoutes } from './features/questions/exchange/admin.ts'
import { regradeAdminRoutes } from './features/regrades/admin.ts'
import { reportAdminRoutes } from './features/reports/admin.ts'
import { reportRoutes } from './features/reports/routes.ts'
import { resultRoutes } from './features/results/routes.ts'
import { timingAdminRoutes } from './features/timing/admin.ts'
import { imageAdminRoutes } from './features/uploads/admin.ts'
import { fileRoutes } from './features/uploads/routes.ts'
import { userAdminRoutes } from './features/users/admin.ts'
import { gateway, websocketOptions } from './gateway/gateway.ts'
import { refuseEncodedBodies } from './http/bodies/encoded.ts'
import { registerForms } from './http/bodies/forms.ts'
import { registerJson } from './http/bodies/json.ts'
import { guardAdmins, guardUsers } from './http/callers/callers.ts'
import { registerCrossSiteGuard } from './http/callers/same-site.ts'
import { registerTokens } from './http/callers/tokens.ts'
import { buildSerializer } from './http/checking/serialization.ts'
import { validatorCompiler } from './http/checking/validation.ts'
import { registerAsyncApi } from './http/documents/asyncapi.ts'
import { registerOpenApi } from './http/documents/openapi.ts'
import { refuseUnreadable, refuseUnroutable, registerFailures } from './http/failures.ts'
import { registerSecurityHeaders } from './http/headers.ts'
import { guardHelp } from './http/help-lock.ts'
import { createHttpServer } from './http/load/arrivals.ts'
import { registerDeadline } from './http/load/deadline.ts'
import { registerDraining } from './http/load/draining.ts'
import { registerMetrics } from './http/operators/metrics.ts'
import { operationsRoutes } from './http/operators/operations.ts'
import { registerTracing } from './http/operators/tracing.ts'
import { logController, nameRequest, registerRequestLog, upgradesAt } from './http/requests.ts'
import { registerEtags } from './http/semantics/etags.ts'
import { registerVary } from './http/semantics/vary.ts'
import { registerTurns } from './http/turns.ts'
import { legacyGeneration } from './legacy/routes.ts'

/** The whole service behind one listener; the only file that knows where each part is mounted. */
export async function buildApp(core: Core): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: core.log,
    logController,
    // registerDraining does that instead, with this service's own answer, and lets probes through.
    return503OnClosing: false,
    genReqId: nameRequest,
    trustProxy: core.config.trustProxy,
    frameworkErrors: refuseUnroutable,
    clientErrorHandler: refuseUnreadable,
    serverFactory: (handler) =>
      createHttpServer(handler, {
        shouldUpgradeCallback: upgradesAt('/api/v01/ws'),
        // Bodies have deadlines of their own.
        headersTimeout: core.config.requestTimeoutMs,
        requestTimeout: 0,
        connectionsCheckingInterval: core.config.requestTimeoutMs / 4,
      }),
    routerOptions: { ignoreTrailingSlash: true },
    schemaController: { compilersFactory: { buildSerializer } },
  })
  app.setValidatorCompiler(validatorCompiler)
  // Before any hook that may refuse a request.
  await app.register(websocket, websocketOptions)
  // A form on any site can make a browser send plain text, and no route reads it.
  app.removeContentTypeParser('text/plain')
  refuseEncodedBodies(app)
  registerJson(app, core)
  registerRequestLog(app)
  registerTracing(app, core)
  registerSecurityHeaders(app)
  registerDraining(app, core)
  registerDeadline(app, core.config.requestTimeoutMs)
  registerTurns(app, core)
  registerFailures(app)
  // Not in the routes' own scope: a scope with schemas of its own would get Fastify's validator back.
  app.addSchema(Comment)
  if (core.config.corsOrigins.length > 0)
    await app.register(cors, {
      origin: core.config.corsOrigins,
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['retry-after', 'x-request-id'],
    })
  if (core.config.rateLimit !== undefined) {
    await app.register(rateLimit, {
      global: false,
      max: core.config.rateLimit,
      timeWindow: '1 minute',
      errorResponseBuilder: (_request, { ttl }) => new AppError('rate_limited', { retryAfter: ttl / 1_000 }),
    })
    // For the whole app rather than for each route: refused requests and unknown addresses count as well.
    app.addHook('onRequest', app.rateLimit())
  }
  registerVary(app)
  registerEtags(app)
  // Smaller answers fit into few packets anyway.
  await app.register(compress, { threshold: 4_096, encodings: ['br', 'gzip'], globalDecompression: false })
  await app.register(cookie)
  registerCrossSiteGuard(app, core.config)
  await registerTokens(app, core)
  await registerOpenApi(app, core.config)
  await registerMetrics(app, core)
  registerAsyncApi(app, core.config)

  /** What is closed during an exam that locks help. */
  const forHelp: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    guardHelp(scope, (userId) => findRefusal(core, userId))
    await scope.register(assistantRoutes, { prefix: '/api/v01/assistant', core })
    await scope.register(chatRoutes, { prefix: '/api/v01/chat', core })
    await scope.register(messageRoutes, { prefix: '/api/v01/chat/conversations/:id/messages', core })
    await scope.register(discussionRoutes, { prefix: '/api/v01/discussions', core })
    await scope.register(libraryRoutes, { prefix: '/api/v01/library', core })
    await scope.register(reportRoutes, { prefix: '/api/v01', core })
    await scope.register(accountExportRoutes, { prefix: '/api/v01/account', core })
  }
  const forUsers: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    await scope.register(categoryRoutes, { prefix: '/api/v01/categories', core })
    await scope.register(examRoutes, { prefix: '/api/v01/exams', core })
    await scope.register(resultRoutes, { prefix: '/api/v01/attempts', core })
    await scope.register(challengeRoutes, { prefix: '/api/v01/attempts/:attempt_id/challenges', core })
    await scope.register(attemptRoutes, { prefix: '/api/v01', core })
    await scope.register(notebookRoutes, { prefix: '/api/v01', core })
    await scope.register(notePageRoutes, { prefix: '/api/v01', core })
  }
  const forUploaders: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    await registerForms(scope)
    await scope.register(assetRoutes, { prefix: '/api/v01', core })
  }
  const forAdmins: FastifyPluginAsync = async (scope) => {
    guardAdmins(scope, core)
    await registerForms(scope)
    await scope.register(overviewAdminRoutes, { prefix: '/api/v01/admin/overview', core })
    await scope.register(analyticsAdminRoutes, { prefix: '/api/v01/admin/analytics', core })
    await scope.register(itemAdminRoutes, { prefix: '/api/v01/admin/analytics/exams/:exam_id/items', core })
    await scope.register(discussionAdminRoutes, { prefix: '/api/v01/discussions', core })
    await scope.register(userAdminRoutes, { prefix: '/api/v01/admin/users', core })
    await scope.register(accessAdminRoutes, { prefix: '/api/v01/admin/access-requests', core })
    await scope.register(examAdminRoutes, { prefix: '/api/v01/admin/exams', core })
    await scope.register(exchangeAdminRoutes, { prefix: '/api/v01/admin/exams/:exam_id', core })
    await scope.register(challengeAdminRoutes, { prefix: '/api/v01/admin/challenges', core })
    await scope.register(regradeAdminRoutes, { prefix: '/api/v01/admin', core })
    await scope.register(timingAdminRoutes, { prefix: '/api/v01/admin/exams/:exam_id', core })
    await scope.register(questionAdminRoutes, { prefix: '/api/v01/admin/questions', core })
    await scope.register(categoryAdminRoutes, { prefix: '/api/v01/admin/categories', core })
    await scope.register(allowanceAdminRoutes, { prefix: '/api/v01/admin/attempts', core })
    await scope.register(imageAdminRoutes, { prefix: '/api/v01/admin/images', core })
    await scope.register(generationAdminRoutes, { prefix: '/api/v01/admin/ai', core })
    await scope.register(reportAdminRoutes, { prefix: '/api/v01/admin/reports', core })
    await scope.register(auditAdminRoutes, { prefix: '/api/v01/admin/audit', core })
  }
  await app.register(operationsRoutes, { core })
  await app.register(fileRoutes, { prefix: '/files', core })
  await app.register(newerAuthRoutes, { prefix: '/api/v01/auth', core })
  await app.register(authRoutes, { prefix: '/api/v01/auth', core })
  await app.register(accountRoutes, { prefix: '/api/v01/account', core })
  await app.register(accessRoutes, { prefix: '/api/v01/account/access-requests', core })
  await app.register(pageRoutes, { core })
  await app.register(gateway, {
    prefix: '/api/v01',
    core,
    live: [chatLive, attemptsLive, discussionsLive, generationLive, helpLockLive],
  })
  await app.register(forHelp)
  await app.register(forUsers)
  await app.register(forUploaders)
  await app.register(forAdmins)
  await app.register(legacyGeneration, { core })
  return app
}
