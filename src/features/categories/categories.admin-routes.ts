import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import {
  CategoriesAnswer,
  CategoryAnswer,
  CategoryFields,
  CategoryForm,
  NewCategoryFields,
  NewCategoryForm,
} from '../../../schemas/categories.schemas.ts'
import { IdParams, Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { actorOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { readForm, takesForm } from '../../http/form-body.ts'
import { askerOf } from '../../http/request-log.ts'
import { IMAGE_BYTES } from '../uploads/images.ts'
import * as service from './categories.service.ts'

const tags = ['admin: categories']
const success = true as const

interface CategoryOptions {
  core: Core
  /** Bytes. */
  largestImage?: number
}

/** Categories of exams, with images, at `/api/v01/admin/categories`. */
export const categoryAdminRoutes: FastifyPluginAsyncTypebox<CategoryOptions> = async (
  app,
  { core, largestImage = IMAGE_BYTES },
) => {
  const description = `The image: at most ${largestImage / 1_024} KB.`

  app.get(
    '/',
    {
      schema: {
        operationId: 'listCategoriesAsAdmin',
        summary: 'All categories, by name',
        tags,
        response: { 200: CategoriesAnswer },
      },
    },
    async () => ({ success, categories: await service.listCategories(core) }),
  )

  app.post(
    '/',
    {
      ...takesForm,
      schema: {
        operationId: 'createCategory',
        summary: 'Create a category',
        description,
        tags,
        consumes: ['multipart/form-data'],
        body: NewCategoryForm,
        response: { 201: CategoryAnswer },
      },
    },
    async (request, reply) => {
      const { fields, image } = await readCategory(request, NewCategoryFields, largestImage)
      const category = await service.createCategory(core, actorOf(request), fields.name, image)
      return reply.code(201).send({ success, category })
    },
  )

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/:id',
    ...takesForm,
    schema: {
      operationId: 'changeCategory',
      summary: 'Change the name, the image or both',
      description,
      tags,
      consumes: ['multipart/form-data'],
      params: IdParams,
      body: CategoryForm,
      response: { 200: CategoryAnswer, ...failures('nothing_to_update', 'not_found') },
    },
    handler: async (request) => {
      const { fields, image } = await readCategory(request, CategoryFields, largestImage)
      return {
        success,
        category: await service.changeCategory(core, actorOf(request), request.params.id, fields.name, image),
      }
    },
  })

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteCategory',
        summary: 'Delete a category with its image; its exams stay',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await service.deleteCategory(core, actorOf(request), request.params.id)
      return { success }
    },
  )
}

/** One byte more than is accepted tells an image that is too large. */
async function readCategory<T extends TObject>(request: FastifyRequest, schema: T, largest: number) {
  const { fields, files } = await readForm(request, schema, { largest: largest + 1, files: 5 })
  const file = files.find(({ field }) => field === 'image')
  return { fields, image: file && { ...file, largest, asker: askerOf(request) } }
}
