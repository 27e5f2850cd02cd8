import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  InteractionAnswer,
  InteractionBody,
  LibraryAnswer,
  LibraryNotebookAnswer,
  LibraryParams,
  LibraryQuery,
} from '../../../schemas/notes.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { describePage } from '../../paging.ts'
import * as library from './note-library.service.ts'

const tags = ['library']
const success = true as const

/** Everybody's public notebooks, at `/api/v01/library`, for signed-in people. */
export const libraryRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      config: { budget: 'heavy', decidesHelpLock: true },
      schema: {
        operationId: 'searchLibrary',
        summary: 'Public notebooks',
        tags,
        querystring: LibraryQuery,
        response: { 200: LibraryAnswer },
      },
    },
    async ({ caller, query }) => {
      const { notebooks, total } = await library.searchLibrary(core, caller.userId, query)
      return { success, notebooks, ...describePage(total, query.page, library.NOTEBOOKS_PER_PAGE) }
    },
  )

  app.get(
    '/:notebook_id',
    {
      config: { decidesHelpLock: true },
      schema: {
        operationId: 'readPublicNotebook',
        summary: 'A public notebook with its pages',
        description: 'The objects of its pages are at `/pages/{id}/objects`, as those of one’s own are.',
        tags,
        params: LibraryParams,
        response: { 200: LibraryNotebookAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params }) => ({
      success,
      notebook: await library.getPublicNotebook(core, caller.userId, params.notebook_id),
    }),
  )

  app.post(
    '/:notebook_id/interactions',
    {
      schema: {
        operationId: 'reactToNotebook',
        summary: 'Like or bookmark a public notebook, or take that back',
        tags,
        params: LibraryParams,
        body: InteractionBody,
        response: { 200: InteractionAnswer, ...failures('not_found') },
      },
    },
    async ({ caller, params, body }) => ({
      success,
      ...(await library.interact(core, caller.userId, params.notebook_id, body)),
    }),
  )
}
