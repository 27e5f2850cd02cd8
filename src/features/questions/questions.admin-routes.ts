import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
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
  PreviewAnswer,
  PreviewBody,
  PreviewForm,
  QuestionAdded,
  QuestionAnswer,
  QuestionChangesForm,
  QuestionsAnswer,
  QuestionsQuery,
  TagsAnswer,
  TryDrawsAnswer,
  TryDrawsBody,
  VariantsAnswer,
  VariantsQuery,
  WasQuestion,
} from '../../../schemas/questions.schemas.ts'
import type { OwnExamSubject } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { runInTurn } from '../../http/admission.ts'
import { actorOf, examIn, teacherIdOf } from '../../http/callers.ts'
import { endSignal } from '../../http/deadline.ts'
import { readFields, takesForm, takesFormToo } from '../../http/form-body.ts'
import { readImport, takesImport } from '../../http/import-body.ts'
import { BULK_BYTES } from '../../http/json-body.ts'
import { operations } from '../../http/operations.ts'
import { jsonReader } from '../../http/validation.ts'
import { describePage } from '../../paging.ts'
import { requireOwnExam } from '../classes/own-exams.service.ts'
import { importQuestions } from './question-import.service.ts'
import * as variants from './question-variants.service.ts'
import * as service from './questions.service.ts'

const questionOf = ({ params }: FastifyRequest): OwnExamSubject => ({
  questions: [(params as { id: number }).id],
})

const readWas = jsonReader('was', WasQuestion)

/** Questions as administrators keep them (docs/protocol/http.md#questions), at `/api/v01/admin/questions`. */
export const questionAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: questions')

  await app.register(questionEditingRoutes, { core })

  operation('addQuestion', 'POST /', {
    summary: 'Add a question',
    ...takesForm,
    forOwnExam: () => 'handler',
    body: NewQuestionForm,
    created: QuestionAdded,
    refuses: ['not_found', 'too_many', 'too_slow', 'nodes_differ'],
    run: async (request) => {
      const { exam_id, ...offered } = await readFields(request, NewQuestionForm)
      await requireOwnExam(core, teacherIdOf(request), exam_id)
      const questionId = await service.addQuestion(core, actorOf(request), exam_id, offered, {
        teacherId: teacherIdOf(request),
      })
      return { message: 'The question was added', question_id: questionId }
    },
  })

  operation('addQuestions', 'POST /bulk-add', {
    summary: 'Add many questions to an exam',
    description:
      'Entries without `question_text` are dropped; those that are not valid are named in `errors`.',
    bodyLimit: BULK_BYTES,
    forOwnExam: examIn('body', 'exam_id'),
    body: BulkAddBody,
    created: BulkAdded,
    refuses: ['not_found', 'too_many', 'too_slow', 'nodes_differ'],
    run: async (request) => {
      const { added, errors } = await service.addQuestions(
        core,
        actorOf(request),
        request.body.exam_id,
        request.body.questions,
        { teacherId: teacherIdOf(request) },
      )
      return { added, errors: errors.length > 0 ? errors : null }
    },
  })

  operation('previewQuestion', 'POST /preview', {
    summary: 'A question as a student would get it, with values for its variables',
    description: 'As JSON or as a form. Nothing is stored. What could not be saved is 400.',
    ...takesFormToo,
    budget: 'heavy',
    forOwnExam: () => 'handler',
    body: PreviewBody,
    answer: PreviewAnswer,
    refuses: ['too_slow'],
    run: async (request) => {
      const {
        seed,
        exam_id: _,
        ...offered
      } = request.isMultipart()
        ? await readFields(request, PreviewForm)
        : { exam_id: undefined, ...request.body }
      return variants.previewQuestion(offered, seed)
    },
  })

  operation('tryQuestionDraws', 'POST /draws', {
    summary: 'Draws of a question as they come, with what fails',
    description: 'Nothing is stored. What is wrong with it before any draw is 400.',
    budget: 'heavy',
    forOwnExam: () => 'handler',
    body: TryDrawsBody,
    answer: TryDrawsAnswer,
    refuses: ['too_slow'],
    run: async ({ body: { seed, count = 20, ...offered } }) => ({
      draws: await variants.tryQuestionDraws(offered, { seed, count }),
    }),
  })

  operation('listQuestionVariants', 'GET /:id/variants', {
    summary: 'Draws of a question with variables',
    description: 'Of one without variables, all are the same.',
    forOwnExam: questionOf,
    params: IdParams,
    query: VariantsQuery,
    answer: VariantsAnswer,
    refuses: ['not_found'],
    run: async ({ params, query }) => ({
      variants: await variants.listVariants(core, params.id, query.count),
    }),
  })

  operation('copyQuestions', 'POST /copy', {
    summary: 'Copy questions into an exam',
    description:
      'With images, tags and explanations, and with the keys by which they are graded today. Unknown ids are named in `errors`.',
    body: CopyBody,
    created: Copied,
    refuses: ['not_found', 'too_many', 'nodes_differ'],
    run: async (request) => {
      const { copied, errors } = await service.copyQuestions(core, actorOf(request), request.body)
      return { copied, errors: errors.length > 0 ? errors : null }
    },
  })
}

/** The routes that are the same in both generations. */
export const questionEditingRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: questions')

  operation('listQuestions', 'GET /', {
    summary: 'Questions of one exam or of all',
    forOwnExam: examIn('query', 'exam_id', 'keys'),
    query: QuestionsQuery,
    answer: QuestionsAnswer,
    run: async ({ query }) => {
      const { questions, total } = await service.listQuestions(core, query)
      return { questions, ...describePage(total, query.page, service.QUESTIONS_PER_PAGE) }
    },
  })

  operation('getQuestion', 'GET /:id', {
    summary: 'A question',
    forOwnExam: questionOf,
    params: IdParams,
    answer: QuestionAnswer,
    refuses: ['not_found'],
    run: async (request) => ({ question: await service.getQuestion(core, request.params.id) }),
  })

  operation('changeQuestion', 'PUT,PATCH /:id', {
    summary: 'Change a question',
    description:
      'Omitted fields keep their value; so do an empty type, marks and tolerance. Other empty fields are emptied. Attempts that have begun keep their paper.',
    ...takesForm,
    forOwnExam: questionOf,
    params: IdParams,
    body: QuestionChangesForm,
    answer: SuccessMessage,
    refuses: ['nothing_to_update', 'not_found', 'too_many', 'too_slow', 'changed', 'nodes_differ'],
    run: async (request) => {
      const { was, ...changes } = await readFields(request, QuestionChangesForm)
      if (changes.exam_id !== undefined) await requireOwnExam(core, teacherIdOf(request), changes.exam_id)
      await service.changeQuestion(core, actorOf(request), request.params.id, changes, {
        teacherId: teacherIdOf(request),
        was: readWas(was),
      })
      return { message: 'The question was changed' }
    },
  })

  operation('deleteQuestion', 'DELETE /:id', {
    summary: 'Delete a question with its discussion',
    forOwnExam: questionOf,
    params: IdParams,
    answer: Success,
    refuses: ['not_found'],
    run: async (request) => {
      await service.deleteQuestion(core, actorOf(request), request.params.id)
    },
  })

  operation('deleteQuestions', 'POST /bulk-delete', {
    summary: 'Delete many questions',
    forOwnExam: ({ body }) => ({ questions: (body as { ids: number[] }).ids }),
    body: BulkDeleteBody,
    answer: BulkDeleted,
    run: async (request) => ({
      deleted: await service.deleteQuestions(core, actorOf(request), request.body.ids),
    }),
  })

  operation('setMarks', 'POST /bulk-marks', {
    summary: 'Set the marks of all questions of a type in an exam',
    forOwnExam: examIn('body', 'exam_id'),
    body: BulkMarksBody,
    answer: BulkMarked,
    refuses: ['nothing_to_update', 'not_found'],
    run: async (request) => ({
      updated: await service.changeMarks(core, actorOf(request), request.body),
    }),
  })

  operation('importCsv', 'POST /import-csv', {
    summary: 'Import questions from a CSV',
    description:
      'Rows of an unknown exam, without a text or with a field that does not fit are skipped and named; all others are imported, in one transaction.',
    ...takesImport,
    forOwnExam: () => 'handler',
    query: ImportCsvQuery,
    body: ImportForm,
    answer: Imported,
    refuses: ['missing_columns', 'invalid_csv', 'payload_too_large', 'too_many', 'too_slow', 'nodes_differ'],
    run: async (request, reply) => {
      const options = {
        key: request.query.key,
        end: endSignal(request, reply),
        teacherId: teacherIdOf(request),
      }
      const imported = await runInTurn(core.gate.imports, request, () =>
        readImport(request, 'csv_file', (file) => importQuestions(core, actorOf(request), file, options)),
      )
      return imported
    },
  })
}

/** The tags of all questions, at `/api/v01/admin/tags`. */
export const tagAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: questions')

  operation('listTags', 'GET', {
    summary: 'All tags of questions',
    answer: TagsAnswer,
    run: async () => ({ tags: await service.listTags(core) }),
  })
}
