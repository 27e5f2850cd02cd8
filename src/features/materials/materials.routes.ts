import type { FastifyPluginAsync } from 'fastify'
import { ClassParams } from '../../../schemas/classes.schemas.ts'
import { Success } from '../../../schemas/common.ts'
import {
  MaterialAnswer,
  MaterialChanges,
  MaterialFields,
  MaterialForm,
  MaterialParams,
  MaterialsAnswer,
  PassagesAnswer,
  PassagesQuery,
} from '../../../schemas/materials.schemas.ts'
import type { Core } from '../../core.ts'
import { actorOf, viewerOf } from '../../http/callers.ts'
import { readForm, takesForm } from '../../http/form-body.ts'
import { operations } from '../../http/operations.ts'
import { askerOf } from '../../http/request-log.ts'
import * as service from './materials.service.ts'
import { startReading } from './materials.worker.ts'
import { findPassages } from './passages.service.ts'

/** Files that the teachers of a class give its members (docs/protocol/materials.md), at `/api/v01/classes/:id/materials`. */
export const materialRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'classes')

  operation('listMaterials', 'GET', {
    summary: "A class's materials, newest first: its members and administrators",
    description: 'Frames: topic `class:<id>`, type `material`.',
    params: ClassParams,
    answer: MaterialsAnswer,
    refuses: ['not_found'],
    run: async ({ caller, params }) => ({
      materials: await service.listMaterials(core, viewerOf(caller), params.id),
    }),
  })

  operation('addMaterial', 'POST', {
    summary: 'Give a class a PDF, a Markdown or a plain text, in the form field `file`',
    description:
      'Its teachers and administrators. A job reads it: until then its `status` is `reading`. At most 200, and 1 GiB, a class.',
    ...takesForm,
    timeoutMs: 120_000,
    params: ClassParams,
    body: MaterialForm,
    created: MaterialAnswer,
    refuses: ['forbidden', 'not_found', 'class_archived', 'too_many'],
    run: async (request) => {
      const { id } = request.params
      const viewer = viewerOf(request.caller)
      await service.requireGiver(core, viewer, id)
      await startReading(core)
      // Files are in memory until they are stored.
      const material = await core.gate.files.run(askerOf(request), async () => {
        const { fields, files } = await readForm(request, MaterialFields, {
          largest: service.LARGEST_PDF,
          files: 1,
        })
        const file = files.find(({ field }) => field === 'file')
        return service.addMaterial(core, actorOf(request, id), viewer, id, file, fields.title)
      })
      return { material }
    },
  })

  operation('searchMaterials', 'GET /search', {
    summary: 'Passages of the materials of a class with these words: its members and administrators',
    description: 'Those with all of them first, then those with most of them.',
    budget: 'search',
    params: ClassParams,
    query: PassagesQuery,
    answer: PassagesAnswer,
    refuses: ['not_found'],
    run: async (request) => {
      const { caller, params, query } = request
      const asker = askerOf(request)
      return { passages: await findPassages(core, viewerOf(caller), params.id, query, asker) }
    },
  })

  operation('getMaterial', 'GET /:material_id', {
    summary: 'A material with a fresh address',
    params: MaterialParams,
    answer: MaterialAnswer,
    refuses: ['not_found'],
    run: async ({ caller, params }) => ({
      material: await service.getMaterial(core, viewerOf(caller), params.id, params.material_id),
    }),
  })

  operation('renameMaterial', 'PATCH /:material_id', {
    summary: 'Rename a material: teachers of the class and administrators',
    params: MaterialParams,
    body: MaterialChanges,
    answer: MaterialAnswer,
    refuses: ['forbidden', 'not_found', 'class_archived'],
    run: async (request) => {
      const { id, material_id } = request.params
      const viewer = viewerOf(request.caller)
      const { title } = request.body
      return {
        material: await service.renameMaterial(core, actorOf(request, id), viewer, id, material_id, title),
      }
    },
  })

  operation('deleteMaterial', 'DELETE /:material_id', {
    summary: 'Delete a material: teachers of the class and administrators',
    params: MaterialParams,
    answer: Success,
    refuses: ['forbidden', 'not_found', 'class_archived'],
    run: async (request) => {
      const { id, material_id } = request.params
      await service.deleteMaterial(core, actorOf(request, id), viewerOf(request.caller), id, material_id)
    },
  })
}
