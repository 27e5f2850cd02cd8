import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Core } from '../core.ts'
import { categoryAdminRoutes } from '../features/categories/categories.admin-routes.ts'

/** 5 MB, ten times what the newer generation takes. */
const LARGEST_IMAGE = 5 * 1024 * 1024

/** Categories as the older generation keeps them, at `/admin/categories`: with larger images. */
export const categoryLegacyRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = (app, { core }) =>
  categoryAdminRoutes(app, { core, largestImage: LARGEST_IMAGE })
