import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams, Success } from '../../../schemas/common.ts'
import {
  NewNotebookBody,
  NotebookAnswer,
  NotebookChange,
  NotebooksAnswer,
} from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import * as service from './notebooks.service.ts'

const tags = ['notes']
const success = true as const

/** Notebooks, at `/api/v01`, for signed-in people. */
export const notebookRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/notebooks',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'listNotebooks',
        summary: 'Own notebooks, latest change first',
        tags,
        response: { 200: NotebooksAnswer },
      },
    },
    async (request) => ({ success, notebooks: await service.listNotebooks(core, request.caller.userId) }),
  )

  app.post(
    '/notebooks',
    {
      schema: {
        operationId: 'createNotebook',
        summary: 'Create a notebook',
        tags,
        body: NewNotebookBody,
        response: { 201: NotebookAnswer, ...failures('too_many') },
      },
    },
    async (request, reply) => {
      const notebook = await service.createNotebook(core, request.caller.userId, request.body)
      return reply.code(201).send({ success, notebook })
    },
  )

  app.get(
    '/notebooks/:id',
    {
      schema: {
        operationId: 'getNotebook',
        summary: 'A notebook of one’s own, or a public one',
        tags,
        params: IdParams,
        response: { 200: NotebookAnswer, ...failures('not_found', 'exam_in_progress') },
      },
    },
    async ({ caller, params }) => ({
      success,
      notebook: await service.getNotebook(core, caller.userId, params.id),
    }),
  )

  app.patch(
    '/notebooks/:id',
    {
      schema: {
        operationId: 'changeNotebook',
        summary: 'Rename, describe, publish or hide a notebook',
        tags,
        params: IdParams,
        body: NotebookChange,
        response: { 200: NotebookAnswer, ...failures('nothing_to_update', 'not_found', 'not_owner') },
      },
    },
    async ({ caller, params, body }) => ({
      success,
      notebook: await service.changeNotebook(core, caller.userId, params.id, body),
    }),
  )

  app.delete(
    '/notebooks/:id',
    {
      schema: {
        operationId: 'deleteNotebook',
        summary: 'Delete a notebook with its pages and files',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found', 'not_owner') },
      },
    },
    async ({ caller, params }) => {
      await service.deleteNotebook(core, caller.userId, params.id)
      return { success }
    },
  )
}
