import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { IdParams, Success, SuccessMessage } from '../../../schemas/common.ts'
import {
  BulkAddBody,
  BulkAdded,
  BulkDeleteBody,
  BulkDeleted,
  BulkMarked,
  BulkMarksBody,
  Copied,
  CopyBody,
  ImportCsvQuery,
  Imported,
  ImportForm,
  NewQuestionForm,
  QuestionAdded,
  QuestionAnswer,
  QuestionChangesForm,
  QuestionsAnswer,
  QuestionsQuery,
  TagsAnswer,
  WasQuestion,
} from '../../../schemas/questions.schemas.ts'
import type { TeachersSubject } from '../../actor.ts'
import { runInTurn } from '../../admission/admission.ts'
import { endSignal } from '../../admission/deadline.ts'
import type { Core } from '../../core.ts'
import { actorOf, examIn, keeperOf } from '../../http/callers.ts'
import { failures } from '../../http/failures.ts'
import { readFields, takesForm } from '../../http/form-body.ts'
import { readImport, takesImport } from '../../http/import-body.ts'
import { BULK_BYTES } from '../../http/json-body.ts'
import { jsonReader } from '../../http/validation.ts'
import { describePage } from '../../paging.ts'
import { requireOwnExam } from '../classes/own-exams.service.ts'
import { importQuestions } from './question-import.service.ts'
import * as service from './questions.service.ts'

const questionOf = ({ params }: FastifyRequest): TeachersSubject => ({
  questions: [(params as { id: number }).id],
})

const tags = ['admin: questions']
const success = true as const
const readWas = jsonReader('was', WasQuestion)

/** Questions as administrators keep them (docs/protocol/http.md#questions), at `/api/v01/admin/questions`. */
export const questionAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  await app.register(questionEditingRoutes, { core })

  app.post(
    '/',
    {
      ...takesForm,
      config: { ...takesForm.config, forTeachers: () => 'handler' },
      schema: {
        operationId: 'addQuestion',
        summary: 'Add a question',
        tags,
        consumes: ['multipart/form-data'],
        body: NewQuestionForm,
        response: { 201: QuestionAdded, ...failures('not_found', 'too_many') },
      },
    },
    async (request, reply) => {
      const { exam_id, ...offered } = await readFields(request, NewQuestionForm)
      await requireOwnExam(core, keeperOf(request), exam_id)
      const questionId = await service.addQuestion(core, actorOf(request), exam_id, offered, {
        teacherId: keeperOf(request),
      })
      return reply.code(201).send({ success, message: 'The question was added', question_id: questionId })
    },
  )

  app.post(
    '/bulk-add',
    {
      bodyLimit: BULK_BYTES,
      config: { forTeachers: examIn('body', 'exam_id') },
      schema: {
        operationId: 'addQuestions',
        summary: 'Add many questions to an exam',
        description:
          'Entries without `question_text` are dropped; those that are not valid are named in `errors`.',
        tags,
        body: BulkAddBody,
        response: { 201: BulkAdded, ...failures('not_found', 'too_many') },
      },
    },
    async (request, reply) => {
      const { added, errors } = await service.addQuestions(
        core,
        actorOf(request),
        request.body.exam_id,
        request.body.questions,
        { teacherId: keeperOf(request) },
      )
      return reply.code(201).send({ success, added, errors: errors.length > 0 ? errors : null })
    },
  )

  app.post(
    '/copy',
    {
      schema: {
        operationId: 'copyQuestions',
        summary: 'Copy questions into an exam',
        description:
          'With images, tags and explanations, and with the keys by which they are graded today. Unknown ids are named in `errors`.',
        tags,
        body: CopyBody,
        response: { 201: Copied, ...failures('not_found', 'too_many') },
      },
    },
    async (request, reply) => {
      const { copied, errors } = await service.copyQuestions(core, actorOf(request), request.body)
      return reply.code(201).send({ success, copied, errors: errors.length > 0 ? errors : null })
    },
  )
}

/** The routes that are the same in both generations. */
export const questionEditingRoutes: FastifyPluginAsyncTypebox<{ core: Core; isOlder?: boolean }> = async (
  app,
  { core, isOlder = false },
) => {
  app.get(
    '/',
    {
      config: { forTeachers: examIn('query', 'exam_id', 'keys') },
      schema: {
        operationId: 'listQuestions',
        summary: 'Questions of one exam or of all',
        tags,
        querystring: QuestionsQuery,
        response: { 200: QuestionsAnswer },
      },
    },
    async ({ query }) => {
      const { questions, total } = await service.listQuestions(core, query, { isOlder })
      return { success, questions, ...describePage(total, query.page, service.QUESTIONS_PER_PAGE) }
    },
  )

  app.get(
    '/:id',
    {
      config: { forTeachers: questionOf },
      schema: {
        operationId: 'getQuestion',
        summary: 'A question',
        tags,
        params: IdParams,
        response: { 200: QuestionAnswer, ...failures('not_found') },
      },
    },
    async (request) => ({
      success,
      question: await service.getQuestion(core, request.params.id, { isOlder }),
    }),
  )

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/:id',
    ...takesForm,
    config: { ...takesForm.config, forTeachers: questionOf },
    schema: {
      operationId: 'changeQuestion',
      summary: 'Change a question',
      description:
        'Omitted fields keep their value; so do an empty type, marks and tolerance. Other empty fields are emptied. Attempts that have begun keep their paper.',
      tags,
      consumes: ['multipart/form-data'],
      params: IdParams,
      body: QuestionChangesForm,
      response: { 200: SuccessMessage, ...failures('nothing_to_update', 'not_found', 'too_many', 'changed') },
    },
    handler: async (request) => {
      const { was, ...changes } = await readFields(request, QuestionChangesForm)
      if (changes.exam_id !== undefined) await requireOwnExam(core, keeperOf(request), changes.exam_id)
      await service.changeQuestion(core, actorOf(request), request.params.id, changes, {
        isOlder,
        teacherId: keeperOf(request),
        was: readWas(was),
      })
      return { success, message: 'The question was changed' }
    },
  })

  app.delete(
    '/:id',
    {
      config: { forTeachers: questionOf },
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
      config: { forTeachers: ({ body }) => ({ questions: (body as { ids: number[] }).ids }) },
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
      config: { forTeachers: examIn('body', 'exam_id') },
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
      updated: await service.changeMarks(core, actorOf(request), request.body, { isOlder }),
    }),
  )

  app.post(
    '/import-csv',
    {
      ...takesImport,
      config: { ...takesImport.config, forTeachers: () => 'handler' },
      schema: {
        operationId: 'importCsv',
        summary: 'Import questions from a CSV',
        description:
          'Rows of an unknown exam, without a text or with a field that does not fit are skipped and named; all others are imported, in one transaction.',
        tags,
        consumes: ['multipart/form-data'],
        querystring: ImportCsvQuery,
        body: ImportForm,
        response: {
          200: Imported,
          ...failures('missing_columns', 'invalid_csv', 'payload_too_large', 'too_many'),
        },
      },
    },
    async (request, reply) => {
      const options = {
        key: request.query.key,
        end: endSignal(request, reply),
        teacherId: keeperOf(request),
        isOlder,
      }
      const imported = await runInTurn(core.gate.imports, request, () =>
        readImport(request, 'csv_file', (file) => importQuestions(core, actorOf(request), file, options)),
      )
      return { success, ...imported }
    },
  )
}

/** The tags of all questions, at `/api/v01/admin/tags`. */
export const tagAdminRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'listTags',
        summary: 'All tags of questions',
        tags,
        response: { 200: TagsAnswer },
      },
    },
    async () => ({ success, tags: await service.listTags(core) }),
  )
}
