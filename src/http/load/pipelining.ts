import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests of one connection that run at once; their answers are sent in order anyway. */
const AT_ONCE = 10

interface Pipeline {
  running: number
  waiting: (() => void)[]
}

/**
 * Delays requests that a connection sends before it has the answers to earlier ones: otherwise a thousand requests in
 * one packet would all begin before anybody else's next one. The connection is not read meanwhile, and when it closes
 * the waiting requests are dropped. Must be registered before all other hooks.
 */
export function registerPipelining(app: FastifyInstance): void {
  const pipelines = new WeakMap<Socket, Pipeline>()

  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const pipeline = pipelines.get(socket) ?? { running: 0, waiting: [] }
    pipelines.set(socket, pipeline)
    const begin = () => {
      pipeline.running += 1
      // Not `onResponse`, which only runs for answered requests.
      reply.raw.once('close', () => {
        pipeline.running -= 1
        next(socket, pipeline)
      })
      done()
    }
    if (pipeline.running < AT_ONCE) begin()
    else {
      pipeline.waiting.push(begin)
      // All earlier bodies have arrived completely, or this request could not have.
      socket.pause()
    }
  })
}

function next(socket: Socket, { waiting }: Pipeline): void {
  if (socket.destroyed) {
    waiting.length = 0
    return
  }
  waiting.shift()?.()
  if (waiting.length === 0) socket.resume()
}
