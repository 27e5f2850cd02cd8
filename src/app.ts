import { createServer } from 'node:http'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { Comment } from '../schemas/discussions.schemas.ts'
import type { Core } from './core.ts'
import { AppError } from './errors.ts'
import { accessAdminRoutes } from './features/access/access.admin-routes.ts'
import { accessRoutes } from './features/access/access.routes.ts'
import { accountRoutes } from './features/account/account.routes.ts'
import { accountExportRoutes } from './features/account/account-export.routes.ts'
import { managedAccountAdminRoutes } from './features/account/managed-accounts.admin-routes.ts'
import { aiUsageAdminRoutes } from './features/ai-usage/ai-usage.admin-routes.ts'
import { allowanceAdminRoutes } from './features/allowances/allowances.admin-routes.ts'
import { analyticsAdminRoutes, overviewAdminRoutes } from './features/analytics/analytics.admin-routes.ts'
import { itemAdminRoutes } from './features/analytics/items.admin-routes.ts'
import { assistantRoutes } from './features/assistant/assistant.routes.ts'
import { activeAttemptAdminRoutes } from './features/attempts/active-attempts.admin-routes.ts'
import { activeAttemptRoutes } from './features/attempts/active-attempts.routes.ts'
import { attemptsLive } from './features/attempts/attempts.live.ts'
import { attemptEndRoutes, attemptRoutes } from './features/attempts/attempts.routes.ts'
import { auditAdminRoutes } from './features/audit/audit.admin-routes.ts'
import { authRoutes, newerAuthRoutes } from './features/auth/auth.routes.ts'
import { categoryAdminRoutes } from './features/categories/categories.admin-routes.ts'
import { categoryRoutes } from './features/categories/categories.routes.ts'
import { challengeAdminRoutes } from './features/challenges/challenges.admin-routes.ts'
import { challengeRoutes } from './features/challenges/challenges.routes.ts'
import { chatRoutes } from './features/chat/chat.routes.ts'
import { conversationSettingsRoutes } from './features/chat/conversations/conversations.routes.ts'
import { chatLive } from './features/chat/live/chat.live.ts'
import { attachmentRoutes } from './features/chat/messages/attachments.routes.ts'
import { messageRoutes } from './features/chat/messages/messages.routes.ts'
import { reactionRoutes } from './features/chat/messages/reactions.routes.ts'
import { messageSearchRoutes } from './features/chat/search/message-search.routes.ts'
import { classExamRoutes } from './features/classes/class-exams.routes.ts'
import { classMemberRoutes, classRosterRoutes } from './features/classes/class-members.routes.ts'
import { classNewsLive } from './features/classes/class-news.live.ts'
import { classNewsRoutes } from './features/classes/class-news.routes.ts'
import { classResultRoutes } from './features/classes/class-results.routes.ts'
import { classAdminRoutes } from './features/classes/classes.admin-routes.ts'
import { classRoutes } from './features/classes/classes.routes.ts'
import { ownExamsOf } from './features/classes/own-exams.service.ts'
import { discussionAdminRoutes } from './features/discussions/discussions.admin-routes.ts'
import { discussionsLive } from './features/discussions/discussions.live.ts'
import { discussionRoutes } from './features/discussions/discussions.routes.ts'
import { examAdminRoutes } from './features/exams/exams.admin-routes.ts'
import { publishedExamRoutes } from './features/exams/published-exams.routes.ts'
import { generationAdminRoutes } from './features/generation/generation.admin-routes.ts'
import { generationLive } from './features/generation/generation.live.ts'
import { helpLockLive } from './features/help-lock/help-lock.live.ts'
import { findRefusal } from './features/help-lock/help-lock.service.ts'
import { classLiveRoomRoutes } from './features/live-room/class-live-room.routes.ts'
import { liveRoomAdminRoutes } from './features/live-room/live-room.admin-routes.ts'
import { liveRoomLive } from './features/live-room/live-room.live.ts'
import { materialRoutes } from './features/materials/materials.routes.ts'
import { assetRoutes } from './features/notes/note-assets.routes.ts'
import { libraryRoutes } from './features/notes/note-library.routes.ts'
import { notePageRoutes } from './features/notes/notebook-pages.routes.ts'
import { notebookRoutes } from './features/notes/notebooks.routes.ts'
import { noticesLive } from './features/notices/notices.live.ts'
import { noticeRoutes } from './features/notices/notices.routes.ts'
import { pageRoutes } from './features/pages/pages.routes.ts'
import { practiceLive } from './features/practice/practice.live.ts'
import { practiceRoutes } from './features/practice/practice.routes.ts'
import { pushRoutes } from './features/push/push.routes.ts'
import { exchangeAdminRoutes } from './features/questions/exchange/exchange.admin-routes.ts'
import { questionAdminRoutes, tagAdminRoutes } from './features/questions/questions.admin-routes.ts'
import { regradeAdminRoutes } from './features/regrades/regrades.admin-routes.ts'
import { reportAdminRoutes } from './features/reports/reports.admin-routes.ts'
import { reportRoutes } from './features/reports/reports.routes.ts'
import { resultAdminRoutes } from './features/results/results.admin-routes.ts'
import { resultRoutes } from './features/results/results.routes.ts'
import { timingAdminRoutes } from './features/timing/timing.admin-routes.ts'
import { imageAdminRoutes } from './features/uploads/uploads.admin-routes.ts'
import { fileRoutes } from './features/uploads/uploads.routes.ts'
import { userAdminRoutes } from './features/users/users.admin-routes.ts'
import { gateway, websocketOptions } from './gateway/gateway.ts'
import { registerAdmission } from './http/admission.ts'
import { registerTokens } from './http/caller-tokens.ts'
import { guardStaff, guardUsers } from './http/callers.ts'
import { registerDeadline } from './http/deadline.ts'
import { registerAsyncApi } from './http/documents/asyncapi.ts'
import { registerOpenApi } from './http/documents/openapi.ts'
import { registerDraining } from './http/draining.ts'
import { refuseEncodedBodies } from './http/encoded-body.ts'
import { registerEtags } from './http/etags.ts'
import { refuseUnreadable, refuseUnroutable, registerFailures } from './http/failures.ts'
import { registerForms } from './http/form-body.ts'
import { guardHelp } from './http/help-guard.ts'
import { registerJson, STRANGERS_BYTES } from './http/json-body.ts'
import { registerMetrics } from './http/metrics.routes.ts'
import { addressOf } from './http/networks.ts'
import { operationsRoutes } from './http/operators.routes.ts'
import { BoundedMessage, oneAfterAnother } from './http/pipelining.ts'
import { namePlugins } from './http/plugin-names.ts'
import { logController, nameRequest, registerRequestLog, upgradesAt } from './http/request-log.ts'
import { registerTracing } from './http/request-tracing.ts'
import { registerCrossSiteGuard } from './http/same-site.ts'
import { registerSecurityHeaders } from './http/security-headers.ts'
import { buildSerializer } from './http/serialization.ts'
import { validatorCompiler } from './http/validation.ts'
import { registerVary } from './http/vary.ts'
import { legacyGeneration } from './legacy/legacy.routes.ts'

/** Uploads may take longer to arrive than other bodies, which have a deadline of their own. */
const LONGEST_UPLOAD_MS = 10 * 60_000
/** Longer than proxies keep a connection that nothing is asked on. */
const KEEP_ALIVE_MS = 72_000

/** The whole service behind one listener; the only file that knows where each part is mounted. */
export async function buildApp(core: Core): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: core.log,
    logController,
    // registerDraining does that instead, with this service's own answer, and lets probes through.
    return503OnClosing: false,
    genReqId: nameRequest,
    trustProxy: core.config.trustProxy,
    bodyLimit: STRANGERS_BYTES,
    frameworkErrors: refuseUnroutable,
    clientErrorHandler: refuseUnreadable,
    serverFactory: (handler) =>
      createServer(
        {
          IncomingMessage: BoundedMessage,
          shouldUpgradeCallback: upgradesAt('/api/v01/ws'),
          headersTimeout: core.config.requestTimeoutMs,
          requestTimeout: LONGEST_UPLOAD_MS,
          connectionsCheckingInterval: core.config.requestTimeoutMs / 4,
          keepAliveTimeout: KEEP_ALIVE_MS,
        },
        oneAfterAnother(handler),
      ),
    // The longest emoji has 105 characters in an address.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 110 },
    schemaController: { compilersFactory: { buildSerializer } },
  })
  namePlugins(app)
  app.setValidatorCompiler(validatorCompiler)
  // Before any hook that may refuse a request.
  await app.register(websocket, websocketOptions)
  // A form on any site can make a browser send plain text, and no route reads it.
  app.removeContentTypeParser('text/plain')
  refuseEncodedBodies(app)
  registerJson(app, core)
  registerRequestLog(app)
  await registerTracing(app, core)
  registerSecurityHeaders(app)
  registerDraining(app, core)
  registerDeadline(app, core.config.requestTimeoutMs)
  registerAdmission(app, core)
  registerFailures(app)
  // Not in the routes' own scope: a scope with schemas of its own would get Fastify's validator back.
  app.addSchema(Comment)
  if (core.config.corsOrigins.length > 0)
    await app.register(cors, {
      origin: core.config.corsOrigins,
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      // All that the protocol tells apps to read.
      exposedHeaders: [
        'allow',
        'content-disposition',
        'content-range',
        'deprecation',
        'etag',
        'link',
        'preference-applied',
        'retry-after',
        'sunset',
        'x-left-out',
        'x-request-id',
      ],
    })
  if (core.config.rateLimit !== undefined) {
    await app.register(rateLimit, {
      global: false,
      max: core.config.rateLimit,
      timeWindow: '1 minute',
      keyGenerator: addressOf,
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
  registerMetrics(app, core)
  registerAsyncApi(app, core.config)

  /** What is closed during an exam that locks help. */
  const forHelp: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    guardHelp(scope, (userId) => findRefusal(core, userId))
    await scope.register(assistantRoutes, { prefix: '/api/v01/assistant', core })
    await scope.register(chatRoutes, { prefix: '/api/v01/chat', core })
    await scope.register(conversationSettingsRoutes, { prefix: '/api/v01/chat', core })
    await scope.register(messageSearchRoutes, { prefix: '/api/v01/chat/search', core })
    await scope.register(messageRoutes, { prefix: '/api/v01/chat/conversations/:id/messages', core })
    await scope.register(reactionRoutes, { prefix: '/api/v01/chat/conversations/:id/messages', core })
    await scope.register(discussionRoutes, { prefix: '/api/v01/discussions', core })
    await scope.register(challengeRoutes, { prefix: '/api/v01/attempts/:attempt_id/challenges', core })
    await scope.register(practiceRoutes, { prefix: '/api/v01/practice', core })
    await scope.register(libraryRoutes, { prefix: '/api/v01/library', core })
    await scope.register(classRoutes, { prefix: '/api/v01/classes', core })
    await scope.register(classNewsRoutes, { prefix: '/api/v01/classes/:id/news', core })
    await scope.register(classResultRoutes, { prefix: '/api/v01/classes', core })
    await scope.register(classExamRoutes, { prefix: '/api/v01/classes/:id/exams/:exam_id', core })
    await scope.register(classLiveRoomRoutes, { prefix: '/api/v01/classes/:id/exams/:exam_id/live', core })
    await scope.register(classMemberRoutes, { prefix: '/api/v01/classes', core })
    await scope.register(noticeRoutes, { prefix: '/api/v01/notices', core })
    await scope.register(reportRoutes, { prefix: '/api/v01', core })
    await scope.register(accountExportRoutes, { prefix: '/api/v01/account', core })
  }
  const forUsers: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    await scope.register(categoryRoutes, { prefix: '/api/v01/categories', core })
    await scope.register(publishedExamRoutes, { prefix: '/api/v01/exams', core })
    await scope.register(resultRoutes, { prefix: '/api/v01/attempts', core })
    await scope.register(activeAttemptRoutes, { prefix: '/api/v01/attempts', core })
    await scope.register(attemptRoutes, { prefix: '/api/v01', core })
    await scope.register(attemptEndRoutes, { prefix: '/api/v01', core })
    await scope.register(pushRoutes, { prefix: '/api/v01/push', core })
    await scope.register(notebookRoutes, { prefix: '/api/v01', core })
    await scope.register(notePageRoutes, { prefix: '/api/v01', core })
  }
  const forUploaders: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    await registerForms(scope)
    await scope.register(assetRoutes, { prefix: '/api/v01', core })
  }
  /** Uploads that are closed during such an exam. */
  const forHelpUploaders: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    guardHelp(scope, (userId) => findRefusal(core, userId))
    await registerForms(scope)
    await scope.register(attachmentRoutes, { prefix: '/api/v01/chat', core })
    await scope.register(classRosterRoutes, { prefix: '/api/v01/classes', core })
    await scope.register(materialRoutes, { prefix: '/api/v01/classes/:id/materials', core })
  }
  const forAdmins: FastifyPluginAsync = async (scope) => {
    guardStaff(scope, core, ownExamsOf(core))
    guardHelp(scope, (userId) => findRefusal(core, userId), 'forOwnExam')
    await registerForms(scope)
    await scope.register(overviewAdminRoutes, { prefix: '/api/v01/admin/overview', core })
    await scope.register(analyticsAdminRoutes, { prefix: '/api/v01/admin/analytics', core })
    await scope.register(itemAdminRoutes, { prefix: '/api/v01/admin/analytics/exams/:exam_id/items', core })
    await scope.register(discussionAdminRoutes, { prefix: '/api/v01/discussions', core })
    await scope.register(userAdminRoutes, { prefix: '/api/v01/admin/users', core })
    await scope.register(managedAccountAdminRoutes, { prefix: '/api/v01/admin/users', core })
    await scope.register(accessAdminRoutes, { prefix: '/api/v01/admin/access-requests', core })
    await scope.register(classAdminRoutes, { prefix: '/api/v01/admin/classes', core })
    await scope.register(examAdminRoutes, { prefix: '/api/v01/admin/exams', core })
    await scope.register(exchangeAdminRoutes, { prefix: '/api/v01/admin/exams/:exam_id', core })
    await scope.register(challengeAdminRoutes, { prefix: '/api/v01/admin/challenges', core })
    await scope.register(regradeAdminRoutes, { prefix: '/api/v01/admin', core })
    await scope.register(resultAdminRoutes, { prefix: '/api/v01/admin', core })
    await scope.register(timingAdminRoutes, { prefix: '/api/v01/admin/exams/:exam_id', core })
    await scope.register(liveRoomAdminRoutes, { prefix: '/api/v01/admin/exams/:exam_id/live', core })
    await scope.register(questionAdminRoutes, { prefix: '/api/v01/admin/questions', core })
    await scope.register(tagAdminRoutes, { prefix: '/api/v01/admin/tags', core })
    await scope.register(categoryAdminRoutes, { prefix: '/api/v01/admin/categories', core })
    await scope.register(activeAttemptAdminRoutes, { prefix: '/api/v01/admin/attempts', core })
    await scope.register(allowanceAdminRoutes, { prefix: '/api/v01/admin/attempts', core })
    await scope.register(imageAdminRoutes, { prefix: '/api/v01/admin/images', core })
    await scope.register(generationAdminRoutes, { prefix: '/api/v01/admin/ai', core })
    await scope.register(aiUsageAdminRoutes, { prefix: '/api/v01/admin/ai', core })
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
    live: [
      chatLive,
      attemptsLive,
      classNewsLive,
      discussionsLive,
      generationLive,
      liveRoomLive,
      noticesLive,
      practiceLive,
      helpLockLive,
    ],
  })
  await app.register(forHelp)
  await app.register(forUsers)
  await app.register(forUploaders)
  await app.register(forHelpUploaders)
  await app.register(forAdmins)
  await app.register(legacyGeneration, { core })
  return app
}
