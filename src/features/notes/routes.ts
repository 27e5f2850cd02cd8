import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams, Success } from '../../../schemas/common.ts'
import {
  NewNotebookBody,
  NewPageBody,
  NotebookAnswer,
  NotebookChange,
  NotebooksAnswer,
  ObjectsAnswer,
  ObjectsQuery,
  PageAnswer,
  PagesAnswer,
  PrintAnswer,
  SyncAnswer,
  SyncBody,
} from '../../../schemas/notes.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { sendJson } from '../../http/json.ts'
import * as notebooks from './notebooks.ts'
import * as reading from './reading.ts'
import { syncPage } from './sync.ts'

const tags = ['notes']
const success = true as const

/** Notebooks, their pages and what is on them (contract §9), at `/api/v01`, for signed-in people. */
export const noteRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/notebooks',
    { schema: { summary: 'Own notebooks, latest change first', tags, response: { 200: NotebooksAnswer } } },
    async (request) => ({ success, notebooks: await notebooks.listNotebooks(core, request.caller.userId) }),
  )

  app.post(
    '/notebooks',
    {
      schema: {
        summary: 'Create a notebook',
        tags,
        body: NewNotebookBody,
        response: { 201: NotebookAnswer, ...failures('notes_full') },
      },
    },
    async (request, reply) => {
      const notebook = await notebooks.createNotebook(core, request.caller.userId, request.body)
      return reply.code(201).send({ success, notebook })
    },
  )

  app.get(
    '/notebooks/:id',
    {
      schema: {
        summary: 'An own or a public notebook',
        tags,
        params: IdParams,
        response: { 200: NotebookAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params }) => ({
      success,
      notebook: await notebooks.readNotebook(core, caller.userId, params.id),
    }),
  )

  app.patch(
    '/notebooks/:id',
    {
      schema: {
        summary: 'Rename, describe, publish or hide a notebook',
        tags,
        params: IdParams,
        body: NotebookChange,
        response: { 200: NotebookAnswer, ...failures('nothing_to_update', 'not_found', 'not_owner') },
      },
    },
    async ({ caller, params, body }) => ({
      success,
      notebook: await notebooks.changeNotebook(core, caller.userId, params.id, body),
    }),
  )

  app.delete(
    '/notebooks/:id',
    {
      schema: {
        summary: 'Delete a notebook with its pages and files',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found', 'not_owner') },
      },
    },
    async ({ caller, params }) => {
      await notebooks.deleteNotebook(core, caller.userId, params.id)
      return { success }
    },
  )

  app.get(
    '/notebooks/:id/print',
    {
      schema: {
        summary: 'Everything of a notebook, in order, for a PDF that the client makes',
        tags,
        params: IdParams,
        response: { 200: PrintAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params }, reply) =>
      sendJson(reply, await reading.readPrintList(core, caller.userId, params.id)),
  )

  app.get(
    '/notebooks/:id/pages',
    {
      schema: {
        summary: 'The pages of a notebook, in order',
        tags,
        params: IdParams,
        response: { 200: PagesAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params }) => ({
      success,
      pages: await notebooks.listPages(core, caller.userId, params.id),
    }),
  )

  app.post(
    '/notebooks/:id/pages',
    {
      schema: {
        summary: 'Add a page',
        tags,
        params: IdParams,
        body: NewPageBody,
        response: { 201: PageAnswer, ...failures('not_found', 'not_owner', 'notes_full') },
      },
    },
    async ({ caller, params, body }, reply) => {
      const page = await notebooks.createPage(core, caller.userId, params.id, body)
      return reply.code(201).send({ success, page })
    },
  )

  app.get(
    '/pages/:id',
    {
      schema: {
        summary: 'A page',
        tags,
        params: IdParams,
        response: { 200: PageAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params }) => ({
      success,
      page: await notebooks.readPage(core, caller.userId, params.id),
    }),
  )

  app.patch(
    '/pages/:id',
    {
      schema: {
        summary: 'Rename or move a page',
        tags,
        params: IdParams,
        body: NewPageBody,
        response: { 200: PageAnswer, ...failures('nothing_to_update', 'not_found', 'not_owner') },
      },
    },
    async ({ caller, params, body }) => ({
      success,
      page: await notebooks.changePage(core, caller.userId, params.id, body),
    }),
  )

  app.delete(
    '/pages/:id',
    {
      schema: {
        summary: 'Delete a page with its files',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found', 'not_owner') },
      },
    },
    async ({ caller, params }) => {
      await notebooks.deletePage(core, caller.userId, params.id)
      return { success }
    },
  )

  app.get(
    '/pages/:id/objects',
    {
      schema: {
        summary: 'A run of the objects of a page, from the bottom of the stack to its top',
        tags,
        params: IdParams,
        querystring: ObjectsQuery,
        response: { 200: ObjectsAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params, query }, reply) =>
      sendJson(reply, await reading.readObjects(core, caller.userId, params.id, query)),
  )

  app.post(
    '/pages/:id/sync',
    {
      schema: {
        summary: 'Apply what a device did to a page',
        description:
          'Deletions first; then `objects` take the places from `start_index` on. Sent twice it changes nothing more. ' +
          'A deleted id comes back only in a sync that carries the current `version`.',
        tags,
        params: IdParams,
        body: SyncBody,
        response: {
          200: SyncAnswer,
          ...failures('not_found', 'not_owner', 'version_conflict', 'notes_full'),
        },
      },
    },
    async ({ caller, params, body }) => ({
      success,
      ...(await syncPage(core, caller.userId, params.id, body)),
    }),
  )
}
