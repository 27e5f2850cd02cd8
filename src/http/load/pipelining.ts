import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests of one connection that run at once; their answers are sent in order anyway. */
const AT_ONCE = 10

interface Pipeline {
  running: number
  waiting: (() => void)[]
}

/**
 * Limits how many pipelined requests of one connection run at once: otherwise a thousand requests in one packet would
 * all begin before the next request of anybody else. While some wait, the connection is not read; when it closes, they
 * are dropped. Must be registered before all other hooks.
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
      // Pausing is safe: the bodies of all earlier requests have arrived before this one.
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
