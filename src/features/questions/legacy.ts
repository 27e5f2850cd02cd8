import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { BulkInserted, QuestionAdded } from '../../../schemas/legacy.ts'
import { BulkAddBody, BulkDeleteBody, BulkDeleted, NewQuestionForm } from '../../../schemas/questions.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { readFields, takesForm } from '../../http/forms.ts'
import * as service from './service.ts'

const tags = ['older: admin']
const success = true as const

/** Questions as the older generation keeps them, at `/admin/questions`. */
export const questionLegacyRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/',
    {
      ...takesForm,
      schema: {
        summary: 'Add a question',
        tags,
        consumes: ['multipart/form-data'],
        body: NewQuestionForm,
        response: { 201: QuestionAdded, ...failures('not_found') },
      },
    },
    async (request, reply) => {
      const { exam_id, ...offered } = await readFields(request, NewQuestionForm)
      const id = await service.addQuestion(core, exam_id, offered)
      return reply.code(201).send({ success, question: await service.findQuestion(core, id) })
    },
  )

  app.post(
    '/bulk-delete',
    {
      schema: {
        summary: 'Delete many questions',
        tags,
        body: BulkDeleteBody,
        response: { 200: BulkDeleted },
      },
    },
    async (request) => ({ success, deleted: await service.deleteQuestions(core, request.body.ids) }),
  )

  app.post(
    '/bulk-add',
    {
      schema: {
        summary: 'Add many questions to an exam',
        description: '`skipped` counts entries without a text as well as those that `errors` names.',
        tags,
        body: BulkAddBody,
        response: { 201: BulkInserted, ...failures('not_found') },
      },
    },
    async (request, reply) => {
      const { exam_id, questions } = request.body
      const { added, errors } = await service.addQuestions(core, exam_id, questions)
      return reply.code(201).send({
        success,
        inserted: added,
        skipped: questions.length - added,
        errors: errors.length > 0 ? errors : null,
      })
    },
  )
}
