import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CategoriesAnswer } from '../../../schemas/categories.schemas.ts'
import type { Core } from '../../core.ts'
import { listCategories } from './categories.service.ts'

/** What exams are sorted by, for everybody who is signed in, at `/api/v01/categories`. */
export const categoryRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'listCategories',
        summary: 'All categories, by name',
        tags: ['exams'],
        response: { 200: CategoriesAnswer },
      },
    },
    async () => ({ success: true as const, categories: await listCategories(core) }),
  )
}
