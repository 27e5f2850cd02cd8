import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ClassDashboardAnswer } from '../../../schemas/analytics.schemas.ts'
import {
  ClassAnalyticsQuery,
  ClassAttemptParams,
  ClassParams,
  CommentParams,
  ExcusedParams,
  GradebookComment,
} from '../../../schemas/classes.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import {
  ClassResultsCsvQuery,
  ClassResultsQuery,
  ExamResultsAnswer,
  GradebookAnswer,
  GradebookQuery,
  StaffReviewAnswer,
} from '../../../schemas/exam-results.schemas.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { CsvFile, sendCsv } from '../../http/csv-body.ts'
import { operations } from '../../http/operations.ts'
import { accepts } from '../../http/vary.ts'
import { describePage } from '../../paging.ts'
import { readClassDashboard, readTable } from '../analytics/analytics.service.ts'
import * as results from '../results/exam-results.service.ts'
import { requireTeacher } from './class-access.service.ts'
import { requireClassResults, reviewClassAttempt } from './class-exams.service.ts'
import * as gradebook from './gradebook.service.ts'
import { keysOf, listUnknown, toReadMarks } from './known-keys.service.ts'

const refusals = ['forbidden', 'not_found'] as const

/** How a class did, at `/api/v01/classes`, for its teachers and administrators. */
export const classResultRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'classes')

  /** Of a download, which breaks off for whoever no longer teaches the class. */
  const download = {
    budget: 'heavy' as const,
    checks: [
      ({ caller, params }: FastifyRequest) =>
        requireTeacher(core.db, viewerOf(caller), (params as { id: number }).id),
    ],
  }

  operation('listClassResults', 'GET /:id/results', {
    summary: 'How the students of a class did at one of its exams, by username',
    description:
      'Who began, how far they are, and who handed in; with marks once their teachers may know the keys.',
    budget: 'heavy',
    params: ClassParams,
    query: ClassResultsQuery,
    answer: ExamResultsAnswer,
    refuses: refusals,
    run: async ({ caller, params, query }) => {
      const at = { classId: params.id, examId: query.exam_id }
      const viewer = viewerOf(caller)
      await requireClassResults(core, viewer, at)
      const { total, ...answer } = await results.listExamResults(
        core,
        at,
        (db) => keysOf(core, db, viewer, at.examId),
        query.page,
      )
      return { ...answer, ...describePage(total, query.page, results.RESULTS_PER_PAGE) }
    },
  })

  operation('downloadClassResults', 'GET /:id/results.csv', {
    summary: 'The results of a class at an exam as a CSV',
    ...download,
    params: ClassParams,
    query: ClassResultsCsvQuery,
    answer: CsvFile,
    refuses: refusals,
    run: async ({ caller, params, query }, reply) => {
      const at = { classId: params.id, examId: query.exam_id }
      const viewer = viewerOf(caller)
      await requireClassResults(core, viewer, at)
      const reading = await toReadMarks(core, viewer, at)
      const rows = results.streamExamResults(reading, at, (db) => keysOf(reading, db, viewer, at.examId))
      return sendCsv(reply, 'results', results.RESULT_COLUMNS, rows)
    },
  })

  operation('getGradebook', 'GET /:id/gradebook', {
    summary: 'The results of the students at all exams of a class, and their totals',
    description:
      'Those of former students, as far as they were students then, stay with `left` true. Without marks where the keys of an exam are not shown yet.',
    budget: 'heavy',
    params: ClassParams,
    query: GradebookQuery,
    answer: GradebookAnswer,
    refuses: refusals,
    run: async ({ caller, params, query }) => {
      const { total, ...answer } = await gradebook.readGradebook(
        core,
        viewerOf(caller),
        params.id,
        query.page,
      )
      return { ...answer, ...describePage(total, query.page, gradebook.GRADEBOOK_PAGE) }
    },
  })

  operation('downloadGradebook', 'GET /:id/gradebook.csv', {
    summary: 'The whole gradebook as a CSV, with a column for each exam',
    ...download,
    params: ClassParams,
    answer: CsvFile,
    refuses: refusals,
    run: async ({ caller, params }, reply) => {
      const { name, columns, rows } = await gradebook.downloadGradebook(core, viewerOf(caller), params.id)
      return sendCsv(reply, name, columns, rows)
    },
  })

  const isChange = { answer: Success, refuses: [...refusals, 'class_archived'] as const }

  operation('excuseFromExam', 'PUT /:id/gradebook/excused/:user_id/:exam_id', {
    summary: 'Leave an exam out of the total of a student',
    params: ExcusedParams,
    ...isChange,
    run: async (request) => {
      const { id: classId, user_id: userId, exam_id: examId } = request.params
      const at = { classId, userId, examId }
      await gradebook.setExcused(core, actorOf(request, classId), viewerOf(request.caller), at, true)
    },
  })

  operation('countExamAgain', 'DELETE /:id/gradebook/excused/:user_id/:exam_id', {
    summary: 'Count an exam in the total of a student again',
    params: ExcusedParams,
    ...isChange,
    run: async (request) => {
      const { id: classId, user_id: userId, exam_id: examId } = request.params
      const at = { classId, userId, examId }
      await gradebook.setExcused(core, actorOf(request, classId), viewerOf(request.caller), at, false)
    },
  })

  operation('commentOnStudent', 'PUT /:id/gradebook/comments/:user_id', {
    summary: 'Note something about a student, for the teachers of the class',
    description:
      'Seen by them and administrators, and in the student’s own export. An empty text deletes it.',
    params: CommentParams,
    body: GradebookComment,
    ...isChange,
    run: async (request) => {
      const { id: classId, user_id: userId } = request.params
      const { text } = request.body
      const at = { classId, userId }
      await gradebook.setComment(core, actorOf(request, classId), viewerOf(request.caller), at, text)
    },
  })

  operation('getClassAnalytics', 'GET /:id/analytics', {
    summary: 'The analytics dashboard of the students of a class, at all of its exams or one',
    description:
      'As for administrators, downloads included. Marks of exams whose keys are not shown are left out.',
    ...download,
    params: ClassParams,
    query: ClassAnalyticsQuery,
    produces: ['application/json', 'text/csv'],
    answer: ClassDashboardAnswer,
    refuses: refusals,
    run: async (request, reply) => {
      const { id: classId } = request.params
      const { exam: examId } = request.query
      const viewer = viewerOf(request.caller)
      await requireClassResults(core, viewer, { classId, examId })
      const query = { ...request.query, class_id: classId }
      const reading = await toReadMarks(core, viewer, { classId, examId })
      const listUnmarked = (db: Executor) => listUnknown(reading, db, viewer, { classId, examId })
      if (!accepts(request, 'text/csv')) return readClassDashboard(reading, query, listUnmarked)
      const { name, columns, rows } = await readTable(reading, query, listUnmarked)
      return sendCsv(reply, name, columns, rows)
    },
  })

  operation('reviewClassAttempt', 'GET /:id/attempts/:attempt_id', {
    summary: "A student's attempt, question by question, also before the results are released",
    description:
      'Marks, and what else tells keys, are null until its teachers may know these. While it is under way, how much is answered.',
    budget: 'heavy',
    params: ClassAttemptParams,
    answer: StaffReviewAnswer,
    refuses: refusals,
    run: ({ caller, params }) => reviewClassAttempt(core, viewerOf(caller), params.id, params.attempt_id),
  })
}
