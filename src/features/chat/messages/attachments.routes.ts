import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { AttachmentAnswer, AttachmentForm } from '../../../../schemas/chat.schemas.ts'
import { IdParams, Success } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import { readForm, takesForm } from '../../../http/form-body.ts'
import { operations } from '../../../http/operations.ts'
import { askerOf } from '../../../http/request-log.ts'
import * as service from './attachments.service.ts'

const NoFields = Type.Object({})

/** Files of messages, at `/api/v01/chat`, for signed-in people. */
export const attachmentRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'chat')

  operation('uploadAttachment', 'POST /conversations/:id/attachments', {
    summary: 'Upload a file, in the form field `file`, to send it within a day',
    ...takesForm,
    params: IdParams,
    body: AttachmentForm,
    created: AttachmentAnswer,
    refuses: ['not_found', 'not_connected', 'too_many'],
    run: async (request) => {
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
      return { attachment }
    },
  })

  operation('getAttachment', 'GET /attachments/:id', {
    summary: 'A file with fresh addresses',
    params: IdParams,
    answer: AttachmentAnswer,
    refuses: ['not_found'],
    run: async ({ caller, params }) => ({
      attachment: await service.getAttachment(core, caller.userId, params.id),
    }),
  })

  operation('deleteAttachment', 'DELETE /attachments/:id', {
    summary: "Delete one's own file before it is sent",
    params: IdParams,
    answer: Success,
    refuses: ['not_found', 'not_owner', 'already_sent'],
    run: async ({ caller, params }) => {
      await service.deleteAttachment(core, caller.userId, params.id)
    },
  })
}
