import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { Core } from '../core.ts'
import { accessAdminRoutes } from '../features/access/access.admin-routes.ts'
import { accessRoutes } from '../features/access/access.routes.ts'
import { accountRoutes } from '../features/account/account.routes.ts'
import { allowanceAdminRoutes } from '../features/allowances/allowances.admin-routes.ts'
import { analyticsAdminRoutes, overviewAdminRoutes } from '../features/analytics/analytics.admin-routes.ts'
import { assistantRoutes } from '../features/assistant/assistant.routes.ts'
import { attemptRoutes } from '../features/attempts/attempts.routes.ts'
import { authRoutes } from '../features/auth/auth.routes.ts'
import { chatRoutes } from '../features/chat/chat.routes.ts'
import { messageRoutes } from '../features/chat/messages/messages.routes.ts'
import { discussionAdminRoutes } from '../features/discussions/discussions.admin-routes.ts'
import { discussionRoutes } from '../features/discussions/discussions.routes.ts'
import { examEditingRoutes } from '../features/exams/exams.admin-routes.ts'
import { publishedExamRoutes } from '../features/exams/published-exams.routes.ts'
import { jobAdminRoutes } from '../features/generation/generation.admin-routes.ts'
import { findRefusal } from '../features/help-lock/help-lock.service.ts'
import { questionEditingRoutes } from '../features/questions/questions.admin-routes.ts'
import { resultRoutes } from '../features/results/results.routes.ts'
import { imageAdminRoutes } from '../features/uploads/uploads.admin-routes.ts'
import { userAdminRoutes } from '../features/users/users.admin-routes.ts'
import { guardAdmins, guardUsers } from '../http/callers.ts'
import { registerForms } from '../http/form-body.ts'
import { guardHelp } from '../http/help-guard.ts'
import { createDeprecation } from './deprecation.ts'
import { generationLegacyRoutes } from './legacy-ai.routes.ts'
import { categoryLegacyRoutes } from './legacy-categories.routes.ts'
import { examLegacyRoutes } from './legacy-exams.routes.ts'
import { questionLegacyRoutes } from './legacy-questions.routes.ts'
import { answerAsOlder } from './older-answers.ts'
import { fillPercentages } from './older-percentages.ts'
import { leaveOutAdditions } from './older-schemas.ts'
import { studyChatRoutes } from './study-chat.routes.ts'
import { userAnalyticsRoutes } from './user-analytics.routes.ts'

/** The day when the newer generation was complete. */
const DEPRECATED_SINCE = new Date('2026-11-21T00:00:00Z')

const ADMIN = '/api/v01/admin'

interface LegacyOptions {
  core: Core
}

/**
 * The older generation (docs/protocol/http.md#older-generation): its addresses and its shapes on the same services.
 * It has everything of the newer one except notes and later additions. It registers the newer generation's plugins,
 * leaves out fields (`older-schemas.ts`) and answers what differs itself (`older-answers.ts`). How to delete it: docs/older-generation.md.
 */
export const legacyGeneration: FastifyPluginAsync<LegacyOptions> = async (app, { core }) => {
  const deprecate = createDeprecation({ since: DEPRECATED_SINCE, sunset: core.config.legacySunset })

  /** `to` replaces `from`: one address for all routes, or by the rest of the address. */
  function mounting(
    plugin: FastifyPluginAsyncTypebox<LegacyOptions>,
    from: string,
    to: string | Record<string, string>,
  ): FastifyPluginAsync {
    return async (scope) => {
      deprecate(scope, (url) => {
        const rest = url.slice(from.length)
        return typeof to === 'string' ? to + rest : (to[rest] ?? '')
      })
      // The newer routes' answers, as this generation has them: without later fields, with 0 where there is no percentage.
      leaveOutAdditions(scope)
      fillPercentages(scope)
      answerAsOlder(scope, core)
      await scope.register(plugin, { prefix: from, core })
    }
  }

  /** What is closed during an exam that locks help. */
  const forHelp: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    guardHelp(scope, (userId) => findRefusal(core, userId))
    await scope.register(mounting(chatRoutes, '/api/chat', '/api/v01/chat'))
    await scope.register(
      mounting(messageRoutes, '/api/chat/messages/:id', '/api/v01/chat/conversations/:id/messages'),
    )
    await scope.register(mounting(discussionRoutes, '/api/discussion', '/api/v01/discussions'))
    await scope.register(mounting(assistantRoutes, '/api/assistant', '/api/v01/assistant'))
    await scope.register(
      mounting(studyChatRoutes, '/api/study-chat', {
        '': '/api/v01/assistant/messages',
        '/history': '/api/v01/assistant/conversations',
      }),
    )
  }

  const forUsers: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, core)
    await scope.register(mounting(publishedExamRoutes, '/api/exams', '/api/v01/exams'))
    await scope.register(mounting(attemptRoutes, '/api', '/api/v01'))
    await scope.register(mounting(resultRoutes, '/api/attempts', '/api/v01/attempts'))
  }

  const forAdmins: FastifyPluginAsync = async (scope) => {
    guardAdmins(scope, core)
    await registerForms(scope)
    await scope.register(mounting(discussionAdminRoutes, '/api/discussion', '/api/v01/discussions'))
    await scope.register(mounting(overviewAdminRoutes, '/admin/overview', `${ADMIN}/overview`))
    await scope.register(mounting(userAnalyticsRoutes, '/admin/users/analytics', `${ADMIN}/analytics`))
    await scope.register(mounting(analyticsAdminRoutes, '/admin/analytics', `${ADMIN}/analytics`))
    await scope.register(mounting(examEditingRoutes, '/admin/exams', `${ADMIN}/exams`))
    await scope.register(mounting(examLegacyRoutes, '/admin/exams', `${ADMIN}/exams`))
    await scope.register(mounting(questionEditingRoutes, '/admin/questions', `${ADMIN}/questions`))
    await scope.register(mounting(questionLegacyRoutes, '/admin/questions', `${ADMIN}/questions`))
    await scope.register(mounting(imageAdminRoutes, '/admin/images', `${ADMIN}/images`))
    await scope.register(mounting(jobAdminRoutes, '/admin/ai', `${ADMIN}/ai`))
    await scope.register(mounting(userAdminRoutes, '/admin/users', `${ADMIN}/users`))
    await scope.register(mounting(categoryLegacyRoutes, '/admin/categories', `${ADMIN}/categories`))
    await scope.register(mounting(allowanceAdminRoutes, '/admin/attempts', `${ADMIN}/attempts`))
    await scope.register(mounting(accessAdminRoutes, '/admin/access-requests', `${ADMIN}/access-requests`))
    await scope.register(
      mounting(generationLegacyRoutes, '/admin/ai', {
        '/generate': `${ADMIN}/ai/generate`,
        '/save': `${ADMIN}/questions/import-csv`,
        '/export': `${ADMIN}/questions/import-csv`,
      }),
    )
  }

  await app.register(mounting(authRoutes, '/api/auth', '/api/v01/auth'))
  await app.register(mounting(accountRoutes, '/api/account', '/api/v01/account'))
  await app.register(
    mounting(accessRoutes, '/api/account/access-requests', '/api/v01/account/access-requests'),
  )
  await app.register(forHelp)
  await app.register(forUsers)
  await app.register(forAdmins)
}
