import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { Comment } from '../schemas/discussions.ts'
import type { Core } from './core.ts'
import { AppError } from './errors.ts'
import { accessAdminRoutes } from './features/access/admin.ts'
import { accessRoutes } from './features/access/routes.ts'
import { createResetMails } from './features/account/password-reset.ts'
import { accountRoutes } from './features/account/routes.ts'
import { allowanceAdminRoutes } from './features/allowances/admin.ts'
import { analyticsAdminRoutes } from './features/analytics/admin.ts'
import { assistantRoutes } from './features/assistant/routes.ts'
import { watchOverdue } from './features/attempts/closing.ts'
import { attemptRoutes } from './features/attempts/routes.ts'
import { watchSessions } from './features/auth/live-sessions.ts'
import { authRoutes } from './features/auth/routes.ts'
import { categoryAdminRoutes } from './features/categories/admin.ts'
import { chatRoutes } from './features/chat/routes.ts'
import { discussionAdminRoutes } from './features/discussions/admin.ts'
import { discussionRoutes } from './features/discussions/routes.ts'
import { examAdminRoutes } from './features/exams/admin.ts'
import { generationAdminRoutes } from './features/generation/admin.ts'
import { assetRoutes } from './features/notes/asset-routes.ts'
import { libraryRoutes } from './features/notes/library-routes.ts'
import { noteRoutes } from './features/notes/routes.ts'
import { pageRoutes } from './features/pages/routes.ts'
import { questionAdminRoutes } from './features/questions/admin.ts'
import { imageAdminRoutes } from './features/uploads/admin.ts'
import { watchDiscardedFiles } from './features/uploads/discarded.ts'
import { fileRoutes } from './features/uploads/routes.ts'
import { userAdminRoutes } from './features/users/admin.ts'
import { gateway, isUpgrade, websocketOptions } from './gateway/plugin.ts'
import { registerAsyncApi } from './http/asyncapi.ts'
import { guardAdmins, guardUsers } from './http/callers.ts'
import { registerDeadline } from './http/deadline.ts'
import { registerDraining } from './http/draining.ts'
import { registerFailures, sendFailure, toAppError } from './http/failures.ts'
import { registerMetrics } from './http/metrics.ts'
import { registerOpenApi } from './http/openapi.ts'
import { operationsRoutes } from './http/operations.ts'
import { logController, nameRequest, registerRequestLog } from './http/requests.ts'
import { registerCrossSiteGuard } from './http/same-site.ts'
import { validatorCompiler } from './http/validation.ts'

/**
 * helmet would put it together anew for each answer. Without its `upgrade-insecure-requests`, since plain HTTP
 * on a private network is a way to run this.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self' https: data:",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self' https: 'unsafe-inline'",
].join(';')

/** The whole service behind one listener; the only file that knows where each part is mounted. */
export async function buildApp(core: Core): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: core.log,
    logController,
    genReqId: nameRequest,
    trustProxy: core.config.trustProxy,
    http: { shouldUpgradeCallback: isUpgrade },
    frameworkErrors: (error, request, reply) => sendFailure(toAppError(error), request, reply),
    routerOptions: { ignoreTrailingSlash: true },
  })
  app.setValidatorCompiler(validatorCompiler)
  // Before any hook that may refuse a request.
  await app.register(websocket, websocketOptions)
  // Any site can make a browser send it, and nothing here reads it.
  app.removeContentTypeParser('text/plain')
  registerRequestLog(app)
  registerDraining(app, core)
  registerDeadline(app, core.config.requestTimeout)
  registerFailures(app)
  // Here rather than where it is used: a scope with schemas of its own gets Fastify's validator back.
  app.addSchema(Comment)
  // A proxy that ends TLS sends its own HSTS.
  await app.register(helmet, { contentSecurityPolicy: false, strictTransportSecurity: false })
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    done()
  })
  if (core.config.corsOrigins.length > 0)
    await app.register(cors, {
      origin: core.config.corsOrigins,
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['retry-after', 'x-request-id'],
    })
  if (core.config.rateLimit !== undefined)
    await app.register(rateLimit, {
      max: core.config.rateLimit,
      timeWindow: '1 minute',
      errorResponseBuilder: (_request, { ttl }) => new AppError('rate_limited', { retryAfter: ttl / 1_000 }),
    })
  await app.register(cookie)
  registerCrossSiteGuard(app, core.config)
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: { fieldSize: 1024 * 1024, parts: 1_100 },
  })
  await registerOpenApi(app)
  await registerMetrics(app, core)
  registerAsyncApi(app)

  const sessions = await watchSessions(core)
  app.addHook('onClose', async () => sessions.close())
  const sweep = watchDiscardedFiles(core)
  app.addHook('onClose', () => sweep.close())
  const overdue = watchOverdue(core)
  app.addHook('onClose', () => overdue.close())

  const resetMails = createResetMails(core, () => app.listeningOrigin)
  app.addHook('onClose', async () => resetMails.close())

  const forUsers: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, sessions)
    await scope.register(assistantRoutes, { prefix: '/api/v01/assistant', core })
    await scope.register(attemptRoutes, { prefix: '/api/v01', core })
    await scope.register(chatRoutes, { prefix: '/api/v01/chat', core })
    await scope.register(discussionRoutes, { prefix: '/api/v01/discussions', core })
    await scope.register(discussionRoutes, { prefix: '/api/discussion', core })
    await scope.register(noteRoutes, { prefix: '/api/v01', core })
    await scope.register(assetRoutes, { prefix: '/api/v01', core })
    await scope.register(libraryRoutes, { prefix: '/api/v01/library', core })
  }
  const forAdmins: FastifyPluginAsync = async (scope) => {
    guardAdmins(scope, sessions)
    await scope.register(analyticsAdminRoutes, { prefix: '/api/v01/admin', core })
    await scope.register(discussionAdminRoutes, { prefix: '/api/v01/discussions', core })
    await scope.register(discussionAdminRoutes, { prefix: '/api/discussion', core })
    await scope.register(userAdminRoutes, { prefix: '/api/v01/admin/users', core })
    await scope.register(accessAdminRoutes, { prefix: '/api/v01/admin/access-requests', core })
    await scope.register(examAdminRoutes, { prefix: '/api/v01/admin/exams', core })
    await scope.register(questionAdminRoutes, { prefix: '/api/v01/admin/questions', core })
    await scope.register(categoryAdminRoutes, { prefix: '/api/v01/admin/categories', core })
    await scope.register(allowanceAdminRoutes, { prefix: '/api/v01/admin/attempts', core })
    await scope.register(imageAdminRoutes, { prefix: '/api/v01/admin/images', core })
    await scope.register(generationAdminRoutes, { prefix: '/api/v01/admin/ai', core })
  }
  await app.register(operationsRoutes, { core })
  await app.register(fileRoutes, { prefix: '/files', core })
  await app.register(authRoutes, { prefix: '/api/v01/auth', core, sessions })
  await app.register(accountRoutes, { prefix: '/api/v01/account', core, sessions, resetMails })
  await app.register(accessRoutes, { prefix: '/api/v01/account/access-requests', core, sessions })
  await app.register(pageRoutes, { core, sessions, resetMails })
  await app.register(gateway, { prefix: '/api/v01', core, sessions })
  await app.register(forUsers)
  await app.register(forAdmins)
  return app
}
