import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
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
import { readForm, takesForm } from '../../http/form-body.ts'
import { operations } from '../../http/operations.ts'
import { askerOf } from '../../http/request-log.ts'
import { IMAGE_BYTES } from '../uploads/images.ts'
import * as service from './categories.service.ts'

interface CategoryOptions {
  core: Core
  /** Bytes. */
  largestImage?: number
}

/** Categories of exams, with images, at `/api/v01/admin/categories`. */
export const categoryAdminRoutes: FastifyPluginAsync<CategoryOptions> = async (
  app,
  { core, largestImage = IMAGE_BYTES },
) => {
  const operation = operations(app, 'admin: categories')

  const description = `The image: at most ${largestImage / 1_024} KB.`

  operation('listCategoriesAsAdmin', 'GET /', {
    summary: 'All categories, by name',
    answer: CategoriesAnswer,
    run: async () => ({ categories: await service.listCategories(core) }),
  })

  operation('createCategory', 'POST /', {
    summary: 'Create a category',
    description: description,
    ...takesForm,
    body: NewCategoryForm,
    created: CategoryAnswer,
    run: async (request) => {
      const { fields, image } = await readCategory(request, NewCategoryFields, largestImage)
      const category = await service.createCategory(core, actorOf(request), fields.name, image)
      return { category }
    },
  })

  operation('changeCategory', 'PUT,PATCH /:id', {
    summary: 'Change the name, the image or both',
    description: description,
    ...takesForm,
    params: IdParams,
    body: CategoryForm,
    answer: CategoryAnswer,
    refuses: ['nothing_to_update', 'not_found'],
    run: async (request) => {
      const { fields, image } = await readCategory(request, CategoryFields, largestImage)
      return {
        category: await service.changeCategory(core, actorOf(request), request.params.id, fields.name, image),
      }
    },
  })

  operation('deleteCategory', 'DELETE /:id', {
    summary: 'Delete a category with its image; its exams stay',
    params: IdParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      await service.deleteCategory(core, actorOf(request), request.params.id)
    },
  })
}

/** One byte more than is accepted tells an image that is too large. */
async function readCategory<T extends TObject>(request: FastifyRequest, schema: T, largest: number) {
  const { fields, files } = await readForm(request, schema, { largest: largest + 1, files: 5 })
  const file = files.find(({ field }) => field === 'image')
  return { fields, image: file && { ...file, largest, asker: askerOf(request) } }
}
