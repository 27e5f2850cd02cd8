import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { IdParams, Success } from '../../../schemas/common.ts'
import { AssetAnswer, AssetForm, AssetsAnswer } from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { readForm, takesForm } from '../../http/form-body.ts'
import { operations } from '../../http/operations.ts'
import { askerOf } from '../../http/request-log.ts'
import type { Upload } from '../uploads/uploads.service.ts'
import * as assets from './note-assets.service.ts'

/** Images on pages, at `/api/v01`, for signed-in people. */
export const assetRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'notes')

  operation('listAssets', 'GET /pages/:id/assets', {
    summary: 'The images of a page',
    budget: 'heavy',
    params: IdParams,
    answer: AssetsAnswer,
    refuses: ['not_found', 'exam_in_progress'],
    run: async ({ caller, params }) => ({ assets: await assets.listAssets(core, caller.userId, params.id) }),
  })

  operation('uploadAsset', 'POST /pages/:id/assets', {
    summary: 'Upload an image, in the form field `image`',
    ...takesForm,
    params: IdParams,
    body: AssetForm,
    created: AssetAnswer,
    refuses: ['not_found', 'not_owner', 'notes_full', 'too_many'],
    run: async (request) => {
      const { caller, params } = request
      const asset = await assets.addAsset(
        core,
        caller.userId,
        params.id,
        await readImage(request),
        askerOf(request),
      )
      return { asset }
    },
  })

  operation('getAsset', 'GET /assets/:id', {
    summary: 'An image and its signed address',
    params: IdParams,
    answer: AssetAnswer,
    refuses: ['not_found', 'exam_in_progress'],
    run: async ({ caller, params }) => ({ asset: await assets.getAsset(core, caller.userId, params.id) }),
  })

  operation('replaceAsset', 'PATCH /assets/:id', {
    summary: 'Put another image in its place, from the form field `image`',
    ...takesForm,
    params: IdParams,
    body: AssetForm,
    answer: AssetAnswer,
    refuses: ['not_found', 'not_owner', 'too_many'],
    run: async (request) => {
      const { caller, params } = request
      const image = await readImage(request)
      return { asset: await assets.replaceAsset(core, caller.userId, params.id, image, askerOf(request)) }
    },
  })

  operation('deleteAsset', 'DELETE /assets/:id', {
    summary: 'Delete an image',
    params: IdParams,
    answer: Success,
    refuses: ['not_found', 'not_owner'],
    run: async ({ caller, params }) => {
      await assets.deleteAsset(core, caller.userId, params.id)
    },
  })
}

const NoFields = Type.Object({})

async function readImage(request: FastifyRequest): Promise<Upload | undefined> {
  const { files } = await readForm(request, NoFields, { largest: assets.LARGEST_IMAGE, files: 1 })
  return files.find(({ field }) => field === 'image')
}
