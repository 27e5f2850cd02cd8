import type { FastifyPluginAsync } from 'fastify'
import { IdParams, Success } from '../../../schemas/common.ts'
import {
  NewNotebookBody,
  NotebookAnswer,
  NotebookChange,
  NotebooksAnswer,
} from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import * as service from './notebooks.service.ts'

/** Notebooks, at `/api/v01`, for signed-in people. */
export const notebookRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'notes')

  operation('listNotebooks', 'GET /notebooks', {
    summary: 'Own notebooks, latest change first',
    budget: 'heavy',
    answer: NotebooksAnswer,
    run: async (request) => ({ notebooks: await service.listNotebooks(core, request.caller.userId) }),
  })

  operation('createNotebook', 'POST /notebooks', {
    summary: 'Create a notebook',
    body: NewNotebookBody,
    created: NotebookAnswer,
    refuses: ['too_many'],
    run: async (request) => {
      const notebook = await service.createNotebook(core, request.caller.userId, request.body)
      return { notebook }
    },
  })

  operation('getNotebook', 'GET /notebooks/:id', {
    summary: 'A notebook of one’s own, or a public one',
    params: IdParams,
    answer: NotebookAnswer,
    refuses: ['not_found', 'exam_in_progress'],
    run: async ({ caller, params }) => ({
      notebook: await service.getNotebook(core, caller.userId, params.id),
    }),
  })

  operation('changeNotebook', 'PATCH /notebooks/:id', {
    summary: 'Rename, describe, publish or hide a notebook',
    params: IdParams,
    body: NotebookChange,
    answer: NotebookAnswer,
    refuses: ['nothing_to_update', 'not_found', 'not_owner'],
    run: async ({ caller, params, body }) => ({
      notebook: await service.changeNotebook(core, caller.userId, params.id, body),
    }),
  })

  operation('deleteNotebook', 'DELETE /notebooks/:id', {
    summary: 'Delete a notebook with its pages and files',
    params: IdParams,
    answer: Success,
    refuses: ['not_found', 'not_owner'],
    run: async ({ caller, params }) => {
      await service.deleteNotebook(core, caller.userId, params.id)
    },
  })
}
