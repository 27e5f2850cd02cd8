import { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import { IdParams, Success } from '../../../schemas/common.ts'
import {
  NewPageBody,
  ObjectsAnswer,
  ObjectsQuery,
  PageAnswer,
  PagesAnswer,
  PrintAnswer,
  SyncAnswer,
  SyncBody,
} from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { whileAllowed } from '../../http/callers.ts'
import { sendJson } from '../../http/json-body.ts'
import { operations } from '../../http/operations.ts'
import * as service from './notebook-pages.service.ts'
import * as reading from './page-reading.ts'
import { syncPage } from './page-sync.service.ts'

/** Pages of notebooks and what is on them, at `/api/v01`, for signed-in people. */
export const notePageRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'notes')

  operation('printNotebook', 'GET /notebooks/:id/print', {
    summary: 'Everything of a notebook, in order, for a PDF that the client makes',
    budget: 'heavy',
    isStreamed: true,
    params: IdParams,
    answer: PrintAnswer,
    refuses: ['not_found', 'exam_in_progress'],
    run: async (request, reply) => {
      const pages = await reading.readPrintList(core, request.caller.userId, request.params.id)
      return sendJson(reply, Readable.from(writePages(whileAllowed(request, pages)), { objectMode: false }))
    },
  })

  operation('listPages', 'GET /notebooks/:id/pages', {
    summary: 'The pages of a notebook, in order',
    budget: 'heavy',
    params: IdParams,
    answer: PagesAnswer,
    refuses: ['not_found', 'exam_in_progress'],
    run: async ({ caller, params }) => ({ pages: await service.listPages(core, caller.userId, params.id) }),
  })

  operation('addPage', 'POST /notebooks/:id/pages', {
    summary: 'Add a page',
    params: IdParams,
    body: NewPageBody,
    created: PageAnswer,
    refuses: ['not_found', 'not_owner', 'notes_full'],
    run: async ({ caller, params, body }) => {
      const page = await service.createPage(core, caller.userId, params.id, body)
      return { page }
    },
  })

  operation('getPage', 'GET /pages/:id', {
    summary: 'A page',
    params: IdParams,
    answer: PageAnswer,
    refuses: ['not_found', 'exam_in_progress'],
    run: async ({ caller, params }) => ({ page: await service.getPage(core, caller.userId, params.id) }),
  })

  operation('changePage', 'PATCH /pages/:id', {
    summary: 'Rename or move a page',
    params: IdParams,
    body: NewPageBody,
    answer: PageAnswer,
    refuses: ['nothing_to_update', 'not_found', 'not_owner'],
    run: async ({ caller, params, body }) => ({
      page: await service.changePage(core, caller.userId, params.id, body),
    }),
  })

  operation('deletePage', 'DELETE /pages/:id', {
    summary: 'Delete a page with its files',
    params: IdParams,
    answer: Success,
    refuses: ['not_found', 'not_owner'],
    run: async ({ caller, params }) => {
      await service.deletePage(core, caller.userId, params.id)
    },
  })

  operation('listObjects', 'GET /pages/:id/objects', {
    summary: 'Some of the objects on a page, from the bottom of the stack to its top',
    budget: 'heavy',
    params: IdParams,
    query: ObjectsQuery,
    answer: ObjectsAnswer,
    refuses: ['not_found', 'exam_in_progress'],
    run: async ({ caller, params, query }, reply) => {
      const { objects, total } = await reading.readObjects(core, caller.userId, params.id, query)
      return sendJson(reply, `{"success":true,"objects":[${objects.join()}],"total":${total}}`)
    },
  })

  operation('syncPage', 'POST /pages/:id/sync', {
    summary: 'Apply the changes that a device made to a page',
    description:
      'Deletions first; then `objects` take the places from `start_index` on. Sent twice it changes nothing more. ' +
      'A deleted id comes back only in a sync that carries the current `version`.',
    params: IdParams,
    body: SyncBody,
    answer: SyncAnswer,
    refuses: ['not_found', 'not_owner', 'version_conflict', 'notes_full', 'too_many'],
    run: ({ caller, params, body }) => syncPage(core, caller.userId, params.id, body),
  })
}

/** Objects are JSON already: nothing is parsed to be written again. */
async function* writePages(pages: AsyncIterable<string>): AsyncGenerator<string> {
  yield '{"success":true,"pages":['
  let separator = ''
  for await (const page of pages) {
    yield separator + page
    separator = ','
  }
  yield ']}'
}
