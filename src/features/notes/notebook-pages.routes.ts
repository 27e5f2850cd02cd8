import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
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
import { failures } from '../../http/failures.ts'
import { sendJson } from '../../http/json-body.ts'
import * as service from './notebook-pages.service.ts'
import * as reading from './page-reading.ts'
import { syncPage } from './page-sync.service.ts'

const tags = ['notes']
const success = true as const

/** Pages of notebooks and what is on them, at `/api/v01`, for signed-in people. */
export const notePageRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/notebooks/:id/print',
    {
      config: { budget: 'heavy', isStreamed: true },
      schema: {
        operationId: 'printNotebook',
        summary: 'Everything of a notebook, in order, for a PDF that the client makes',
        tags,
        params: IdParams,
        response: { 200: PrintAnswer, ...failures('not_found', 'exam_in_progress') },
      },
    },
    async (request, reply) => {
      const pages = await reading.readPrintList(core, request.caller.userId, request.params.id)
      return sendJson(reply, Readable.from(writePages(whileAllowed(request, pages)), { objectMode: false }))
    },
  )

  app.get(
    '/notebooks/:id/pages',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listPages',
        summary: 'The pages of a notebook, in order',
        tags,
        params: IdParams,
        response: { 200: PagesAnswer, ...failures('not_found', 'exam_in_progress') },
      },
    },
    async ({ caller, params }) => ({
      success,
      pages: await service.listPages(core, caller.userId, params.id),
    }),
  )

  app.post(
    '/notebooks/:id/pages',
    {
      schema: {
        operationId: 'addPage',
        summary: 'Add a page',
        tags,
        params: IdParams,
        body: NewPageBody,
        response: { 201: PageAnswer, ...failures('not_found', 'not_owner', 'notes_full') },
      },
    },
    async ({ caller, params, body }, reply) => {
      const page = await service.createPage(core, caller.userId, params.id, body)
      return reply.code(201).send({ success, page })
    },
  )

  app.get(
    '/pages/:id',
    {
      schema: {
        operationId: 'getPage',
        summary: 'A page',
        tags,
        params: IdParams,
        response: { 200: PageAnswer, ...failures('not_found', 'exam_in_progress') },
      },
    },
    async ({ caller, params }) => ({
      success,
      page: await service.getPage(core, caller.userId, params.id),
    }),
  )

  app.patch(
    '/pages/:id',
    {
      schema: {
        operationId: 'changePage',
        summary: 'Rename or move a page',
        tags,
        params: IdParams,
        body: NewPageBody,
        response: { 200: PageAnswer, ...failures('nothing_to_update', 'not_found', 'not_owner') },
      },
    },
    async ({ caller, params, body }) => ({
      success,
      page: await service.changePage(core, caller.userId, params.id, body),
    }),
  )

  app.delete(
    '/pages/:id',
    {
      schema: {
        operationId: 'deletePage',
        summary: 'Delete a page with its files',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found', 'not_owner') },
      },
    },
    async ({ caller, params }) => {
      await service.deletePage(core, caller.userId, params.id)
      return { success }
    },
  )

  app.get(
    '/pages/:id/objects',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listObjects',
        summary: 'Some of the objects on a page, from the bottom of the stack to its top',
        tags,
        params: IdParams,
        querystring: ObjectsQuery,
        response: { 200: ObjectsAnswer, ...failures('not_found', 'exam_in_progress') },
      },
    },
    async ({ caller, params, query }, reply) => {
      const { objects, total } = await reading.readObjects(core, caller.userId, params.id, query)
      return sendJson(reply, `{"success":true,"objects":[${objects.join()}],"total":${total}}`)
    },
  )

  app.post(
    '/pages/:id/sync',
    {
      schema: {
        operationId: 'syncPage',
        summary: 'Apply the changes that a device made to a page',
        description:
          'Deletions first; then `objects` take the places from `start_index` on. Sent twice it changes nothing more. ' +
          'A deleted id comes back only in a sync that carries the current `version`.',
        tags,
        params: IdParams,
        body: SyncBody,
        response: {
          200: SyncAnswer,
          ...failures('not_found', 'not_owner', 'version_conflict', 'notes_full', 'too_many'),
        },
      },
    },
    async ({ caller, params, body }) => ({
      success,
      ...(await syncPage(core, caller.userId, params.id, body)),
    }),
  )
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
