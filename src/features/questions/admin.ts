import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  BulkAddBody,
  BulkAdded,
  BulkDeleteBody,
  BulkDeleted,
  BulkMarked,
  BulkMarksBody,
  ImportCsvQuery,
  Imported,
  ImportForm,
  NewQuestionForm,
  QuestionAdded,
  QuestionAnswer,
  QuestionForm,
  QuestionsAnswer,
  QuestionsQuery,
} from '../../../schemas/admin/exams/questions.ts'
import { IdParams, Success, SuccessMessage } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { readFields, takesForm } from '../../http/bodies/forms.ts'
import { readImport, takesImport } from '../../http/bodies/imports.ts'
import { BULK_BYTES } from '../../http/bodies/json.ts'
import { actorOf } from '../../http/callers/callers.ts'
import { failures } from '../../http/failures.ts'
import { endSignal } from '../../http/load/deadline.ts'
import { describePage } from '../../paging.ts'
import { importQuestions } from './import/service.ts'
import * as service from './service.ts'

const tags = ['admin: questions']
const success = true as const

/** Questions as administrators keep them (docs/protocol/http.md#questions), at `/api/v01/admin/questions`. */
export const questionAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  await app.register(questionEditingRoutes, { core })

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
        response: { 201: QuestionAdded, ...failures('not_found') },
      },
    },
    async (request, reply) => {
      const { exam_id, ...offered } = await readFields(request, NewQuestionForm)
      const questionId = await service.addQuestion(core, actorOf(request), exam_id, offered)
      return reply.code(201).send({ success, message: 'The question was added', question_id: questionId })
    },
  )

  app.post(
    '/bulk-add',
    {
      bodyLimit: BULK_BYTES,
      schema: {
        operationId: 'addQuestions',
        summary: 'Add many questions to an exam',
        description:
          'Entries without `question_text` are dropped; those that are not valid are named in `errors`.',
        tags,
        body: BulkAddBody,
        response: { 201: BulkAdded, ...failures('not_found') },
      },
    },
    async (request, reply) => {
      const { added, errors } = await service.addQuestions(
        core,
        actorOf(request),
        request.body.exam_id,
        request.body.questions,
      )
      return reply.code(201).send({ success, added, errors: errors.length > 0 ? errors : null })
    },
  )
}

/** The routes that are the same in both generations. */
export const questionEditingRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'listQuestions',
        summary: 'Questions of one exam or of all',
        tags,
        querystring: QuestionsQuery,
        response: { 200: QuestionsAnswer },
      },
    },
    async ({ query }) => {
      const { questions, total } = await service.listQuestions(core, query.exam_id, query.page)
      return { success, questions, ...describePage(total, query.page, service.QUESTIONS_PER_PAGE) }
    },
  )

  app.get(
    '/:id',
    {
      schema: {
        operationId: 'getQuestion',
        summary: 'A question',
        tags,
        params: IdParams,
        response: { 200: QuestionAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({ success, question: await service.getQuestion(core, request.params.id) }),
  )

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/:id',
    ...takesForm,
    schema: {
      operationId: 'changeQuestion',
      summary: 'Change a question',
      description:
        'Omitted fields keep their value, empty ones take the default. Attempts that have begun keep their paper.',
      tags,
      consumes: ['multipart/form-data'],
      params: IdParams,
      body: QuestionForm,
      response: { 200: SuccessMessage, ...failures('nothing_to_update', 'not_found') },
    },
    handler: async (request) => {
      await service.changeQuestion(
        core,
        actorOf(request),
        request.params.id,
        await readFields(request, QuestionForm),
      )
      return { success, message: 'The question was changed' }
    },
  })

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteQuestion',
        summary: 'Delete a question with its discussion',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async (request) => {
      await service.deleteQuestion(core, actorOf(request), request.params.id)
      return { success }
    },
  )

  app.post(
    '/bulk-delete',
    {
      schema: {
        operationId: 'deleteQuestions',
        summary: 'Delete many questions',
        tags,
        body: BulkDeleteBody,
        response: { 200: BulkDeleted },
      },
    },
    async (request) => ({
      success,
      deleted: await service.deleteQuestions(core, actorOf(request), request.body.ids),
    }),
  )

  app.post(
    '/bulk-marks',
    {
      schema: {
        operationId: 'setMarks',
        summary: 'Set the marks of all questions of a type in an exam',
        tags,
        body: BulkMarksBody,
        response: { 200: BulkMarked, ...failures('nothing_to_update', 'not_found') },
      },
    },
    async (request) => ({
      success,
      updated: await service.changeMarks(core, actorOf(request), request.body),
    }),
  )

  app.post(
    '/import-csv',
    {
      ...takesImport,
      schema: {
        operationId: 'importCsv',
        summary: 'Import questions from a CSV',
        description:
          'Rows of an unknown exam, without a text or with a field that does not fit are skipped and named; all others are imported, in one transaction.',
        tags,
        consumes: ['multipart/form-data'],
        querystring: ImportCsvQuery,
        body: ImportForm,
        response: { 200: Imported, ...failures('missing_columns', 'invalid_csv', 'payload_too_large') },
      },
    },
    async (request, reply) => {
      const options = { key: request.query.key, end: endSignal(request, reply) }
      const imported = await readImport(request, 'csv_file', (file) =>
        importQuestions(core, actorOf(request), file, options),
      )
      return { success, ...imported }
    },
  )
}
