import type { FastifyPluginAsync } from 'fastify'
import {
  InteractionAnswer,
  InteractionBody,
  LibraryAnswer,
  LibraryNotebookAnswer,
  LibraryParams,
  LibraryQuery,
} from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { describePage } from '../../paging.ts'
import * as library from './note-library.service.ts'

/** Everybody's public notebooks, at `/api/v01/library`, for signed-in people. */
export const libraryRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'library')

  operation('searchLibrary', 'GET', {
    summary: 'Public notebooks',
    budget: 'heavy',
    decidesHelpLock: true,
    query: LibraryQuery,
    answer: LibraryAnswer,
    run: async ({ caller, query }) => {
      const { notebooks, total } = await library.searchLibrary(core, caller.userId, query)
      return { notebooks, ...describePage(total, query.page, library.NOTEBOOKS_PER_PAGE) }
    },
  })

  operation('readPublicNotebook', 'GET /:notebook_id', {
    summary: 'A public notebook with its pages',
    description: 'The objects of its pages are at `/pages/{id}/objects`, as those of one’s own are.',
    decidesHelpLock: true,
    params: LibraryParams,
    answer: LibraryNotebookAnswer,
    refuses: ['not_found'],
    run: async ({ caller, params }) => ({
      notebook: await library.getPublicNotebook(core, caller.userId, params.notebook_id),
    }),
  })

  operation('reactToNotebook', 'POST /:notebook_id/interactions', {
    summary: 'Like or bookmark a public notebook, or take that back',
    params: LibraryParams,
    body: InteractionBody,
    answer: InteractionAnswer,
    refuses: ['not_found'],
    run: ({ caller, params, body }) => library.interact(core, caller.userId, params.notebook_id, body),
  })
}
