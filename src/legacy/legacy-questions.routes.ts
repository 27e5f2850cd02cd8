import type { FastifyPluginAsync } from 'fastify'
import { BulkInserted } from '../../schemas/legacy.schemas.ts'
import { BulkAddBody, NewQuestionForm, QuestionAnswer } from '../../schemas/questions.schemas.ts'
import type { Core } from '../core.ts'
import * as service from '../features/questions/questions.service.ts'
import { actorOf } from '../http/callers.ts'
import { readFields, takesForm } from '../http/form-body.ts'
import { BULK_BYTES } from '../http/json-body.ts'
import { operations } from '../http/operations.ts'
import { checkOlder } from './older-kinds.ts'

/** Questions as the older generation keeps them, at `/admin/questions`. */
export const questionLegacyRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'older: admin')

  operation('addQuestion', 'POST /', {
    summary: 'Add a question',
    ...takesForm,
    body: NewQuestionForm,
    created: QuestionAnswer,
    refuses: ['not_found', 'too_many'],
    run: async (request) => {
      const { exam_id, ...offered } = await readFields(request, NewQuestionForm)
      const id = await service.addQuestion(core, actorOf(request), exam_id, offered, { check: checkOlder })
      return { question: await service.getQuestion(core, id) }
    },
  })

  operation('addQuestions', 'POST /bulk-add', {
    summary: 'Add many questions to an exam',
    description: '`skipped` counts entries without a text as well as those that `errors` names.',
    bodyLimit: BULK_BYTES,
    body: BulkAddBody,
    created: BulkInserted,
    refuses: ['not_found', 'too_many'],
    run: async (request) => {
      const { exam_id, questions } = request.body
      const { added, errors } = await service.addQuestions(core, actorOf(request), exam_id, questions, {
        check: checkOlder,
      })
      return { inserted: added, skipped: questions.length - added, errors: errors.length > 0 ? errors : null }
    },
  })
}
