import type { FastifyInstance } from 'fastify'
import { SharedBody } from '../shared-body.ts'

/** Serves a document that never changes, written once: the bytes are the same for all readers. */
export function serveFixed(app: FastifyInstance, address: string, write: () => object): void {
  let document: SharedBody | undefined
  app.get(address, { schema: { hide: true } }, (request, reply) => {
    document ??= new SharedBody(JSON.stringify(write()))
    return document.send(request, reply)
  })
}
