import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify'
import type { Core } from '../core.ts'
import { shareOf } from '../db/client.ts'
import { perNode } from '../per-node.ts'
import { FairQueue } from '../scheduling/fair-queue.ts'
import { logLate } from './failures.ts'
import { pauseDeadline, resumeDeadline } from './load/deadline.ts'
import { SHORT_TEXT } from './reading.ts'
import { askerOf, mediaTypeOf, whenClosed } from './requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer can be large: such reads take turns, one per person. */
    heavy?: true
    /** Its requests take no turns: they hardly cost anything, or they wait in a queue of their own. */
    turns?: 'none'
  }
  interface FastifyRequest {
    /** What its handler returned, and the stream that it answers with. Either may outlast the connection. */
    handled: unknown
    streamed: Readable | null
    /** Called when its answer has been made or begins to stream; null if nobody waits for that. */
    tellMade: (() => void) | null
  }
}

/** Most requests that wait in one queue. */
const MOST_WAITING = 2_000

/** Long bodies of one person that are held at once. The others are not read from their connections. */
const MOST_BODIES = 4

/**
 * One person's requests and frames use at most a part of the database's connections at once, even if all wait for one
 * row.
 */
export const personTurns = perNode(
  ({ config: { databasePool } }) => new FairQueue({ each: shareOf(databasePool), waiting: MOST_WAITING }),
)

/** Longest that a turn outlasts its connection: most statements are cancelled before, and a handler might never end. */
const LONGEST_REST_MS = 30_000

/** Whether nothing is being done for an answered request any more: neither a late handler's work nor a stream. */
function isIdle({ streamed }: FastifyRequest, { raw, statusCode }: FastifyReply): boolean {
  // At the deadline a request is answered while its handler still runs.
  return raw.writableFinished && statusCode < 500 && (streamed === null || streamed.closed)
}

/** Resolves when nothing is being done for a request any more, even if its client has gone away before. */
async function whenIdle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (isIdle(request, reply)) return
  const done = new AbortController()
  const longest = setTimeout(LONGEST_REST_MS, undefined, { ref: false, signal: done.signal })
  await Promise.race([whenDone(request), longest])
  done.abort()
  // An aborted timer rejects.
  await longest.catch(() => {})
}

async function whenDone(request: FastifyRequest): Promise<void> {
  await Promise.allSettled([request.handled])
  const { streamed } = request
  if (streamed && !streamed.closed) await new Promise((resolve) => streamed.once('close', resolve))
}

interface TurnOptions {
  /** How much later the turn of a refused request ends. */
  restMs?: number
  /** Whether the turn ends when the body has been read, rather than when the answer has been sent. */
  untilRead?: boolean
}

/** Lets a request wait for its turn in the queue. */
export function takeTurnIn(
  queue: FairQueue,
  { restMs = 0, untilRead = false }: TurnOptions = {},
): preHandlerHookHandler {
  return (request, reply, done) => {
    const asker = askerOf(request)
    const held = untilRead ? request.raw : reply.raw
    const leave = () => queue.leave(asker)
    const end = () => {
      if (restMs > 0 && reply.statusCode >= 400) void setTimeout(restMs).then(leave)
      else leave()
    }
    const begin = () => {
      // The request may have timed out while it waited.
      if (held.closed || reply.raw.closed) {
        leave()
        return
      }
      held.once('close', () => {
        if (untilRead || isIdle(request, reply)) end()
        else void whenIdle(request, reply).then(end)
      })
      resumeDeadline(request)
      done()
    }
    if (queue.enter(asker)) {
      begin()
      return
    }
    pauseDeadline(request)
    queue.wait(asker).then(begin, done)
  }
}

/**
 * Makes requests take turns, so that one person's many requests don't delay others. One person's requests use at most a
 * part of the database's connections, and so do those of an address without a sign-in, each until its answer is made. A
 * heavy read also waits until this person's previous heavy answer has been sent; all heavy reads together use at most a
 * part of the connections, each until its answer is made or begins to stream. Clients that hang up lose their place in
 * the queue, but a turn that has begun lasts until the work for the request has ended, since it can't be stopped
 * everywhere. One person's long bodies are held a few at a time, so that they don't fill the memory: each until its
 * answer, or until it has been read where an answer may take longer than the usual deadline.
 */
export function registerTurns(app: FastifyInstance, core: Core): void {
  const readers = new FairQueue({ each: 1, waiting: MOST_WAITING })
  const reads = new FairQueue({ places: shareOf(core.config.databasePool), waiting: MOST_WAITING })
  /** Resolves when the answer is made, or nothing makes it any more for a client that has gone away. */
  const make = (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> => {
    const closed = whenClosed(reply)
    // The request may have timed out while it waited.
    if (reply.raw.closed) return Promise.resolve()
    const made = new Promise<void>((resolve) => {
      request.tellMade = resolve
    })
    done()
    return Promise.race([made, closed.then(() => whenIdle(request, reply))])
  }
  const takePersonsTurn = takeTurnIn(personTurns(core))
  const takeAddressesTurn: preHandlerHookHandler = (request, reply, done) => {
    personTurns(core)
      .run(askerOf(request), () => make(request, reply, done))
      .catch(done)
  }
  const takeReadersTurn: preHandlerHookHandler = (request, reply, done) => {
    const closed = whenClosed(reply)
    const asker = askerOf(request)
    readers
      .run(asker, async () => {
        await reads.run(asker, () => make(request, reply, done))
        await closed
        await whenIdle(request, reply)
      })
      .catch(done)
  }

  const bodies = new FairQueue({ each: MOST_BODIES, waiting: MOST_WAITING })
  const takeBodysTurn = takeTurnIn(bodies)
  const takeReadingTurn = takeTurnIn(bodies, { untilRead: true })
  app.addHook('preParsing', function (request, reply, _payload, done) {
    const take = request.routeOptions.handlerTimeout ? takeReadingTurn : takeBodysTurn
    if (hasLongBody(request)) take.call(this, request, reply, (error) => done(error ?? null))
    else done(null)
  })
  app.decorateRequest('handled', null)
  app.decorateRequest('streamed', null)
  app.decorateRequest('tellMade', null)
  app.addHook('onRoute', watchWork)
  app.addHook('onRoute', (route) => {
    const { heavy, turns, uploadTimeoutMs } = route.config ?? {}
    if (turns === 'none') return
    // Routes with a timeout of their own wait for something else than the database; sockets have their own admission.
    if (!heavy && (route.handlerTimeout || uploadTimeoutMs || route.websocket || route.wsHandler)) return
    const take = heavy ? takeReadersTurn : takePersonsTurn
    route.preHandler = [
      function (request, reply, done) {
        const takeTheirs = request.caller ? take : takeAddressesTurn
        takeTheirs.call(this, request, reply, done)
      },
      ...[route.preHandler ?? []].flat(),
    ]
  })
}

/** Makes known what is done for the requests of a route. */
function watchWork(route: RouteOptions): void {
  if (route.websocket || route.wsHandler) return
  const { handler } = route
  route.handler = function (request, reply) {
    const handled = handler.call(this, request, reply)
    request.handled = handled
    if (!(handled instanceof Promise)) return handled
    return handled.catch((error) => {
      if (!reply.sent) throw error
      logLate(error, request)
    })
  }
  route.onSend = [
    (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: () => void) => {
      const { tellMade } = request
      if (payload instanceof Readable) request.streamed = payload
      // At the deadline the request is answered while its handler still runs.
      if (tellMade && reply.statusCode >= 500) void whenIdle(request, reply).then(tellMade)
      else tellMade?.()
      done()
    },
    ...[route.onSend ?? []].flat(),
  ]
}

/** Whether a body may be long; forms with files take turns of their own. */
function hasLongBody(request: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const mayBeLong = encoding !== undefined || Number(length) > SHORT_TEXT
  return mayBeLong && mediaTypeOf(request) !== 'multipart/form-data'
}
