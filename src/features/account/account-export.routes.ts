import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Core } from '../../core.ts'
import { checkAgain } from '../../http/callers.ts'
import { operations } from '../../http/operations.ts'
import { exportAccount } from './account-export.service.ts'

const Archive = Type.Unsafe<NodeJS.ReadableStream>({
  description: 'A zip, as an attachment',
  content: { 'application/zip': { schema: Type.String({ format: 'binary' }) } },
})

/** A person's download of their data (docs/protocol/records.md#personal-export), at `/api/v01/account`. */
export const accountExportRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'account')

  operation('exportAccount', 'GET /export', {
    summary: 'Download everything that the service holds about you',
    description:
      'A zip of JSON files with their schemas, and the files of your notes and messages. README.txt says what is in which file.',
    budget: 'heavy',
    answer: Archive,
    run: async (request, reply) =>
      reply
        .header('content-type', 'application/zip')
        .header('content-disposition', 'attachment; filename="account.zip"')
        .send(exportAccount(core, request.caller.userId, () => checkAgain(request))),
  })
}
