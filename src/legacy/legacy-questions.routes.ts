import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { BulkInserted } from '../../schemas/legacy.schemas.ts'
import { BulkAddBody, NewQuestionForm, QuestionAnswer } from '../../schemas/questions.schemas.ts'
import type { Core } from '../core.ts'
import * as service from '../features/questions/questions.service.ts'
import { actorOf } from '../http/callers.ts'
import { failures } from '../http/failures.ts'
import { readFields, takesForm } from '../http/form-body.ts'
import { BULK_BYTES } from '../http/json-body.ts'

const tags = ['older: admin']
const success = true as const

/** Questions as the older generation keeps them, at `/admin/questions`. */
export const questionLegacyRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/',
    {
      ...takesForm,
      schema: {
        operationId: 'addQuestion',
        summary: 'Add a question',
        tags,
        consumes: ['multipart/form-data'],
        body: NewQuestionForm,
        response: { 201: QuestionAnswer, ...failures('not_found', 'too_many') },
      },
    },
    async (request, reply) => {
      const { exam_id, ...offered } = await readFields(request, NewQuestionForm)
      const id = await service.addQuestion(core, actorOf(request), exam_id, offered, { isOlder: true })
      return reply.code(201).send({ success, question: await service.getQuestion(core, id) })
    },
  )

  app.post(
    '/bulk-add',
    {
      bodyLimit: BULK_BYTES,
      schema: {
        operationId: 'addQuestions',
        summary: 'Add many questions to an exam',
        description: '`skipped` counts entries without a text as well as those that `errors` names.',
        tags,
        body: BulkAddBody,
        response: { 201: BulkInserted, ...failures('not_found', 'too_many') },
      },
    },
    async (request, reply) => {
      const { exam_id, questions } = request.body
      const { added, errors } = await service.addQuestions(core, actorOf(request), exam_id, questions, {
        isOlder: true,
      })
      return reply.code(201).send({
        success,
        inserted: added,
        skipped: questions.length - added,
        errors: errors.length > 0 ? errors : null,
      })
    },
  )
}
