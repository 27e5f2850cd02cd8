import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { GenerateForm } from '../../schemas/generation.schemas.ts'
import { Generated, GeneratedBody, Saved } from '../../schemas/legacy.schemas.ts'
import type { Core } from '../core.ts'
import { readGenerateForm } from '../features/generation/generation.admin-routes.ts'
import { actorOf, checkAgain } from '../http/callers.ts'
import { endSignal } from '../http/deadline.ts'
import { takesForm } from '../http/form-body.ts'
import { BULK_BYTES } from '../http/json-body.ts'
import { operations } from '../http/operations.ts'
import { saveQuestions } from './legacy-ai-saving.ts'
import { generateNow } from './legacy-ai-waiting.ts'
import { toCsv } from './legacy-csv.ts'

/** The longest that somebody waits for a whole job, in milliseconds: a batch may take ten minutes. */
const JOB_TIMEOUT_MS = 60 * 60_000

const Csv = Type.Unsafe<string>({
  description: 'The CSV, as a download',
  content: { 'text/csv': { schema: Type.String() } },
})

/** Questions written by the model, the older generation's way, at `/admin/ai`. */
export const generationLegacyRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'older: admin')

  operation('generateQuestions', 'POST /generate', {
    summary: 'Generate questions and wait for them',
    description: 'Hanging up cancels the job.',
    ...takesForm,
    timeoutMs: JOB_TIMEOUT_MS,
    body: GenerateForm,
    answer: Generated,
    refuses: [
      'aborted',
      'not_found',
      'model_failed',
      'not_configured',
      'draining',
      'too_many',
      'ai_budget_spent',
    ],
    run: async (request, reply) => {
      const input = await readGenerateForm(request, { older: true })
      const questions = await generateNow(core, actorOf(request), input, endSignal(request, reply))
      // That may have taken an hour.
      await checkAgain(request)
      return { count: questions.length, questions }
    },
  })

  operation('saveGeneratedQuestions', 'POST /save', {
    summary: 'Add generated questions to the exams that they name',
    description:
      'Entries without `question_text` are dropped; those that are not valid are named in `errors`.',
    bodyLimit: BULK_BYTES,
    body: GeneratedBody,
    answer: Saved,
    refuses: ['not_found', 'too_many'],
    run: async (request) => {
      const { added, errors } = await saveQuestions(core, actorOf(request), request.body.questions)
      return { count: added, errors: errors.length > 0 ? errors : null }
    },
  })

  operation('exportGeneratedQuestions', 'POST /export', {
    summary: 'Generated questions as a CSV that the import takes back unchanged',
    bodyLimit: BULK_BYTES,
    body: GeneratedBody,
    answer: Csv,
    run: async (request, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="questions.csv"')
        .send(toCsv(request.body.questions)),
  })
}
