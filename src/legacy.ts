import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { Core } from './core.ts'
import { accessAdminRoutes } from './features/access/admin.ts'
import { allowanceAdminRoutes } from './features/allowances/admin.ts'
import { overviewAdminRoutes } from './features/analytics/admin.ts'
import { userAnalyticsRoutes } from './features/analytics/legacy.ts'
import { studyChatRoutes } from './features/assistant/legacy.ts'
import type { LiveSessions } from './features/auth/live-sessions.ts'
import { authRoutes } from './features/auth/routes.ts'
import { categoryLegacyRoutes } from './features/categories/legacy.ts'
import { messageRoutes } from './features/chat/message-routes.ts'
import { chatRoutes } from './features/chat/routes.ts'
import { discussionAdminRoutes } from './features/discussions/admin.ts'
import { discussionRoutes } from './features/discussions/routes.ts'
import { examLegacyRoutes } from './features/exams/legacy.ts'
import { generationLegacyRoutes } from './features/generation/legacy.ts'
import { questionLegacyRoutes } from './features/questions/legacy.ts'
import { userAdminRoutes } from './features/users/admin.ts'
import { guardAdmins, guardUsers } from './http/callers.ts'
import { createDeprecation } from './http/deprecation.ts'

/** The day that the newer generation was whole. */
const DEPRECATED_SINCE = new Date('2026-11-21T00:00:00Z')

const ADMIN = '/api/v01/admin'

interface Parts {
  core: Core
  sessions: LiveSessions
}

/**
 * The older generation (specification: Versioning): its addresses and its shapes on the same services. Where the
 * shapes are equal it is the newer generation's own plugin. How to delete it: docs/older-generation.md.
 */
export const legacyGeneration: FastifyPluginAsync<Parts> = async (app, { core, sessions }) => {
  const deprecate = createDeprecation(app, { since: DEPRECATED_SINCE, sunset: core.config.legacySunset })

  /** `to`: what took the place of `from`, for all of its routes alike or by the rest of their address. */
  function mounting(
    plugin: FastifyPluginAsyncTypebox<Parts>,
    from: string,
    to: string | Record<string, string>,
  ): FastifyPluginAsync {
    return async (scope) => {
      deprecate(scope, (url) => {
        const rest = url.slice(from.length)
        return typeof to === 'string' ? to + rest : (to[rest] ?? '')
      })
      await scope.register(plugin, { prefix: from, core, sessions })
    }
  }

  const forUsers: FastifyPluginAsync = async (scope) => {
    guardUsers(scope, sessions)
    await scope.register(mounting(chatRoutes, '/api/chat', '/api/v01/chat'))
    await scope.register(
      mounting(messageRoutes, '/api/chat/messages/:id', '/api/v01/chat/conversations/:id/messages'),
    )
    await scope.register(mounting(discussionRoutes, '/api/discussion', '/api/v01/discussions'))
    await scope.register(
      mounting(studyChatRoutes, '/api/study-chat', {
        '': '/api/v01/assistant/messages',
        '/history': '/api/v01/assistant/conversations',
      }),
    )
  }

  const forAdmins: FastifyPluginAsync = async (scope) => {
    guardAdmins(scope, sessions)
    await scope.register(mounting(discussionAdminRoutes, '/api/discussion', '/api/v01/discussions'))
    await scope.register(mounting(overviewAdminRoutes, '/admin/overview', `${ADMIN}/overview`))
    await scope.register(mounting(userAnalyticsRoutes, '/admin/users/analytics', `${ADMIN}/analytics`))
    await scope.register(mounting(examLegacyRoutes, '/admin/exams', `${ADMIN}/exams`))
    await scope.register(mounting(questionLegacyRoutes, '/admin/questions', `${ADMIN}/questions`))
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
  await app.register(forUsers)
  await app.register(forAdmins)
}
