import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { GenerateForm } from '../../schemas/generation.schemas.ts'
import { Generated, GeneratedBody, Saved } from '../../schemas/legacy.schemas.ts'
import type { Core } from '../core.ts'
import { readGenerateForm } from '../features/generation/generation.admin-routes.ts'
import { actorOf, checkAgain } from '../http/callers.ts'
import { failures } from '../http/failures.ts'
import { takesForm } from '../http/form-body.ts'
import { BULK_BYTES } from '../http/json-body.ts'
import { hangUpSignal } from '../http/request-log.ts'
import { saveQuestions } from './legacy-ai-saving.ts'
import { generateNow } from './legacy-ai-waiting.ts'
import { toCsv } from './legacy-csv.ts'

const tags = ['older: admin']
const success = true as const

/** Longest that somebody waits for a whole job, in milliseconds: a batch may take ten minutes. */
const JOB_TIMEOUT_MS = 60 * 60_000

const Csv = Type.Unsafe<string>({
  description: 'The CSV, as a download',
  content: { 'text/csv': { schema: Type.String() } },
})

/** Questions written by the model, the older generation's way, at `/admin/ai`. */
export const generationLegacyRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.post(
    '/generate',
    {
      ...takesForm,
      config: { ...takesForm.config, timeoutMs: JOB_TIMEOUT_MS },
      schema: {
        operationId: 'generateQuestions',
        summary: 'Generate questions and wait for them',
        description: 'Hanging up cancels the job.',
        tags,
        consumes: ['multipart/form-data'],
        body: GenerateForm,
        response: {
          200: Generated,
          ...failures('aborted', 'not_found', 'model_failed', 'not_configured', 'draining', 'too_many'),
        },
      },
    },
    async (request, reply) => {
      const input = await readGenerateForm(request)
      const questions = await generateNow(core, actorOf(request), input, hangUpSignal(reply))
      // That may have taken an hour.
      await checkAgain(request)
      return { success, count: questions.length, questions }
    },
  )

  app.post(
    '/save',
    {
      bodyLimit: BULK_BYTES,
      schema: {
        operationId: 'saveGeneratedQuestions',
        summary: 'Add generated questions to the exams that they name',
        description:
          'Entries without `question_text` are dropped; those that are not valid are named in `errors`.',
        tags,
        body: GeneratedBody,
        response: { 200: Saved, ...failures('not_found', 'too_many') },
      },
    },
    async (request) => {
      const { added, errors } = await saveQuestions(core, actorOf(request), request.body.questions)
      return { success, count: added, errors: errors.length > 0 ? errors : null }
    },
  )

  app.post(
    '/export',
    {
      bodyLimit: BULK_BYTES,
      schema: {
        operationId: 'exportGeneratedQuestions',
        summary: 'Generated questions as a CSV that the import takes back unchanged',
        tags,
        body: GeneratedBody,
        response: { 200: Csv },
      },
    },
    async (request, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="questions.csv"')
        .send(toCsv(request.body.questions)),
  )
}
