import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import {
  ExamParams,
  Exchanged,
  ExchangeForm,
  ExportQuery,
  ImportQuery,
  Tried,
} from '../../../../schemas/exchange.schemas.ts'
import type { Core } from '../../../core.ts'
import { AppError } from '../../../errors.ts'
import { runInTurn } from '../../../http/admission.ts'
import { actorOf, checkAgain, examIn, teacherIdOf } from '../../../http/callers.ts'
import { endSignal } from '../../../http/deadline.ts'
import type { FileStream } from '../../../http/form-body.ts'
import { readTriableImport, takesImport } from '../../../http/import-body.ts'
import { operations } from '../../../http/operations.ts'
import { askerOf } from '../../../http/request-log.ts'
import { toRead } from '../../audit/replica-reads.service.ts'
import * as service from './exchange.service.ts'

const binary = { schema: Type.String({ format: 'binary' }) }
const Attachment = Type.Unsafe<NodeJS.ReadableStream>({
  description: 'The file, as an attachment',
  content: { 'text/csv': binary, 'text/plain': binary, 'application/xml': binary, 'application/zip': binary },
})

/** Import and export of questions in other systems' formats, at `/api/v01/admin/exams/:exam_id`. */
export const exchangeAdminRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'admin: questions')

  operation('importQuestions', 'POST /import', {
    summary: 'Import questions from a file',
    description:
      'GIFT, Aiken, Moodle XML, QTI 1.2 to 3.0 (single files and content packages) or CSV, into this exam. What has no equivalent here is skipped and named; the others are imported, in one transaction.',
    ...takesImport,
    forOwnExam: examIn('params', 'exam_id'),
    params: ExamParams,
    query: ImportQuery,
    body: ExchangeForm,
    answer: Tried,
    created: Exchanged,
    refuses: [
      'not_found',
      'invalid_file',
      'invalid_csv',
      'missing_columns',
      'payload_too_large',
      'too_many',
      'nodes_differ',
    ],
    run: async (request, reply) => {
      const { format = 'auto', key } = request.query
      const asker = askerOf(request)
      const end = endSignal(request, reply)
      return runInTurn(core.gate.imports, request, async () => {
        const { content: bytes, isDryRun } = await readTriableImport(request, 'file', readWhole)
        const { exam_id: examId } = request.params
        const input = { bytes, format: format === 'auto' ? undefined : format }
        if (isDryRun) return service.tryFile(core, asker, examId, input, end)
        const options = { key, end, teacherId: teacherIdOf(request) }
        const imported = await service.importFile(core, actorOf(request), asker, examId, input, options)
        reply.code(201)
        return imported
      })
    },
  })

  operation('exportQuestions', 'GET /export', {
    summary: 'The questions of an exam as a file',
    description:
      'CSV, GIFT, Moodle XML, or a content package of QTI 2.1 (`qti`) or 3.0 (`qti3`). `x-left-out` says how many questions the format has no form for.',
    budget: 'heavy',
    forOwnExam: examIn('params', 'exam_id', 'keys'),
    params: ExamParams,
    query: ExportQuery,
    answer: Attachment,
    refuses: ['not_found'],
    run: async (request, reply) => {
      const { name, contentType, leftOut, body } = await service.exportQuestions(
        await toRead(core, request.caller.userId),
        request.params.exam_id,
        request.query.format,
        () => checkAgain(request),
      )
      return reply
        .header('content-type', contentType)
        .header('x-left-out', leftOut)
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(body)
    },
  })
}

/** The bytes of a file, in a buffer of their own, which can be given to the thread. */
async function readWhole(file: FileStream): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of file) chunks.push(chunk)
  if (file.truncated) throw new AppError('payload_too_large')
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
