import type { FastifyPluginAsync } from 'fastify'
import { CategoriesAnswer } from '../../../schemas/categories.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { listCategories } from './categories.service.ts'

/** What exams are sorted by, for everybody who is signed in, at `/api/v01/categories`. */
export const categoryRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'exams')

  operation('listCategories', 'GET /', {
    summary: 'All categories, by name',
    answer: CategoriesAnswer,
    run: async () => ({ categories: await listCategories(core) }),
  })
}
