import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { IdParams, Success } from '../../../schemas/common.ts'
import { AssetAnswer, AssetForm, AssetsAnswer } from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { readForm, takesForm } from '../../http/form-body.ts'
import { askerOf } from '../../http/request-log.ts'
import * as assets from './note-assets.service.ts'

const tags = ['notes']
const success = true as const
const consumes = ['multipart/form-data']

/** Images on pages, at `/api/v01`, for signed-in people. */
export const assetRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/pages/:id/assets',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listAssets',
        summary: 'The images of a page',
        tags,
        params: IdParams,
        response: { 200: AssetsAnswer, ...failures('not_found', 'exam_in_progress') },
      },
    },
    async ({ caller, params }) => ({
      success,
      assets: await assets.listAssets(core, caller.userId, params.id),
    }),
  )

  app.post(
    '/pages/:id/assets',
    {
      ...takesForm,
      schema: {
        operationId: 'uploadAsset',
        summary: 'Upload an image, in the form field `image`',
        tags,
        consumes,
        body: AssetForm,
        params: IdParams,
        response: { 201: AssetAnswer, ...failures('not_found', 'not_owner', 'notes_full', 'too_many') },
      },
    },
    async (request, reply) => {
      const { caller, params } = request
      const asset = await assets.addAsset(
        core,
        caller.userId,
        params.id,
        await readImage(request),
        askerOf(request),
      )
      return reply.code(201).send({ success, asset })
    },
  )

  app.get(
    '/assets/:id',
    {
      schema: {
        operationId: 'getAsset',
        summary: 'An image and its signed address',
        tags,
        params: IdParams,
        response: { 200: AssetAnswer, ...failures('not_found', 'exam_in_progress') },
      },
    },
    async ({ caller, params }) => ({
      success,
      asset: await assets.getAsset(core, caller.userId, params.id),
    }),
  )

  app.patch(
    '/assets/:id',
    {
      ...takesForm,
      schema: {
        operationId: 'replaceAsset',
        summary: 'Put another image in its place, from the form field `image`',
        tags,
        consumes,
        body: AssetForm,
        params: IdParams,
        response: { 200: AssetAnswer, ...failures('not_found', 'not_owner', 'too_many') },
      },
    },
    async (request) => {
      const { caller, params } = request
      const image = await readImage(request)
      return {
        success,
        asset: await assets.replaceAsset(core, caller.userId, params.id, image, askerOf(request)),
      }
    },
  )

  app.delete(
    '/assets/:id',
    {
      schema: {
        operationId: 'deleteAsset',
        summary: 'Delete an image',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found', 'not_owner') },
      },
    },
    async ({ caller, params }) => {
      await assets.deleteAsset(core, caller.userId, params.id)
      return { success }
    },
  )
}

const NoFields = Type.Object({})

async function readImage(request: FastifyRequest): Promise<assets.Upload | undefined> {
  const { files } = await readForm(request, NoFields, { largest: assets.LARGEST_IMAGE, files: 1 })
  return files.find(({ field }) => field === 'image')
}
