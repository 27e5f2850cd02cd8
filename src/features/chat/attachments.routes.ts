import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { AttachmentAnswer, AttachmentForm } from '../../../schemas/chat.schemas.ts'
import { IdParams, Success } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { readForm, takesForm } from '../../http/form-body.ts'
import { askerOf } from '../../http/request-log.ts'
import * as service from './attachments.service.ts'

const tags = ['chat']
const success = true as const

const NoFields = Type.Object({})

/** Files of messages, at `/api/v01/chat`, for signed-in people. */
export const attachmentRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/conversations/:id/attachments',
    {
      ...takesForm,
      schema: {
        operationId: 'uploadAttachment',
        summary: 'Upload a file, in the form field `file`, to send it within a day',
        tags,
        consumes: ['multipart/form-data'],
        body: AttachmentForm,
        params: IdParams,
        response: { 201: AttachmentAnswer, ...failures('not_found', 'not_connected', 'too_many') },
      },
    },
    async (request, reply) => {
      const { userId } = request.caller
      const { id } = request.params
      await service.requireUploader(core, userId, id)
      const asker = askerOf(request)
      // Files are in memory until they are stored.
      const attachment = await core.gate.files.run(asker, async () => {
        const { files } = await readForm(request, NoFields, { largest: service.LARGEST_FILE, files: 1 })
        const file = files.find(({ field }) => field === 'file')
        return service.addAttachment(core, userId, id, file, asker)
      })
      return reply.code(201).send({ success, attachment })
    },
  )

  app.get(
    '/attachments/:id',
    {
      schema: {
        operationId: 'getAttachment',
        summary: 'A file with fresh addresses',
        tags,
        params: IdParams,
        response: { 200: AttachmentAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params }) => ({
      success,
      attachment: await service.getAttachment(core, caller.userId, params.id),
    }),
  )

  app.delete(
    '/attachments/:id',
    {
      schema: {
        operationId: 'deleteAttachment',
        summary: "Delete one's own file before it is sent",
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found', 'not_owner', 'already_sent') },
      },
    },
    async ({ caller, params }) => {
      await service.deleteAttachment(core, caller.userId, params.id)
      return { success }
    },
  )
}
