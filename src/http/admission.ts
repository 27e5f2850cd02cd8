import { Readable, type Writable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify'
import type { Core } from '../core.ts'
import { SHORT_TEXT } from '../formats/json-size.ts'
import type { FairQueue } from '../scheduling/fair-queue.ts'
import { Pace } from '../scheduling/pace.ts'
import { logLate } from './failures.ts'
import { askerOf } from './request-log.ts'

/**
 * What the requests of a route cost, and so which of the gate's budgets they take:
 * - `light`, unless a route says otherwise: a few statements, a small answer;
 * - `heavy`: a read whose answer can be large;
 * - `search`: a read that goes through many texts in the process;
 * - `upload`: a body that may take long to arrive, and is worked on as it does;
 * - `none`: hardly anything, or it takes a budget of its own or waits for something else than the database.
 */
export type Budget = 'light' | 'heavy' | 'search' | 'upload' | 'none'

declare module 'fastify' {
  interface FastifyContextConfig {
    budget?: Budget
    /** A change that others are told of at once and that can be made again and again: it keeps its person's pace. */
    paced?: true
  }
  interface FastifyRequest {
    /** What its answer streams: it may outlast the connection. */
    streamed: Readable | null
    /** Called when its answer has been made, or begins to stream. */
    tellMade: (() => void) | null
  }
}

/** The work of a request. */
type Handle = () => unknown
type Admit = (request: FastifyRequest, reply: FastifyReply, handle: Handle) => unknown

const atOnce: Admit = (_request, _reply, handle) => handle()

/**
 * Requests take turns, by person or by the network of somebody who has not signed in, so that nobody's many requests
 * delay others. A turn lasts until the answer is made, even if its client has gone away or was answered at the
 * deadline, since the work for it can't be stopped everywhere. A `heavy` read also waits until this person's heavy
 * answer before it has been sent. Long bodies take turns before they are read, so that they don't fill the memory.
 */
export function registerAdmission(app: FastifyInstance, { gate }: Core): void {
  const pace = new Pace()
  const admit: Record<Budget, Admit> = {
    none: atOnce,
    // A long body has had a turn of its own.
    upload: atOnce,
    light: (request, reply, handle) => makeInTurn(gate.light, request, reply, handle),
    search: (request, reply, handle) => makeInTurn(gate.searches, request, reply, handle),
    async heavy(request, reply, handle) {
      const asker = askerOf(request)
      await gate.readers.enter(asker)
      try {
        return await makeInTurn(gate.heavy, request, reply, handle)
      } finally {
        void whenSent(request, reply).then(() => gate.readers.leave(asker))
      }
    },
  }

  app.decorateRequest('streamed', null)
  app.decorateRequest('tellMade', null)
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (payload instanceof Readable) request.streamed = payload
    if (!request.deadline?.hasPassed) request.tellMade?.()
    done()
  })
  app.addHook('preParsing', takeBodysTurn(gate.uploads))
  app.addHook('onRoute', (route) => {
    // Sockets take turns when they are set up.
    if (route.websocket || route.wsHandler) return
    const { handler } = route
    const { budget = 'light', paced } = route.config ?? {}
    const run = admit[budget]
    route.handler = async function (request, reply) {
      const handle = () => handler.call(this, request, reply)
      // It waits in its turn: of one person's requests few wait at once then.
      const handleAtPace = () => pace.wait(request.caller.userId).then(handle)
      try {
        return await run(request, reply, paced ? handleAtPace : handle)
      } catch (error) {
        if (!reply.sent) throw error
        logLate(error, request)
        return reply
      }
    }
  })
}

/** Runs costly work of an upload once it is the asker's turn; meanwhile the upload doesn't count as stalled. */
export async function runInTurn<T>(
  queue: FairQueue,
  request: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  const { deadline } = request
  if (deadline) deadline.isWaiting = true
  return queue.run(askerOf(request), () => {
    if (deadline) deadline.isWaiting = false
    return work()
  })
}

/**
 * Makes an answer in a turn, which ends as soon as it is made: the promise of a handler that answers by `reply` only
 * resolves when its client has read everything.
 */
async function makeInTurn(queue: FairQueue, request: FastifyRequest, reply: FastifyReply, handle: Handle) {
  const asker = askerOf(request)
  // A free turn is taken without a promise.
  const turn = queue.enter(asker)
  if (turn !== undefined) await turn
  let isOver = false
  const end = () => {
    if (!isOver) queue.leave(asker)
    isOver = true
  }
  request.tellMade = end
  try {
    // It may have been answered at its deadline while it waited.
    return reply.sent ? reply : await handle()
  } finally {
    end()
  }
}

async function whenClosed(stream: Readable | Writable): Promise<void> {
  if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve))
}

/** Resolves when the answer has been sent, or the client has gone away and nothing reads for it any more. */
async function whenSent(request: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  await whenClosed(raw)
  if (request.streamed) await whenClosed(request.streamed)
}

/**
 * Lets a body that may be long wait until it may be read. Its turn ends with the answer, since the body is in memory
 * until then, or when it has been read, where the answer waits for something else.
 */
function takeBodysTurn(uploads: FairQueue): preParsingHookHandler {
  return (request, reply, _payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (encoding === undefined && !(Number(length) > SHORT_TEXT)) {
      done(null)
      return
    }
    const asker = askerOf(request)
    const { budget, timeoutMs } = request.routeOptions.config
    // A body that is refused unread may never be closed, but its answer is.
    const ends = timeoutMs !== undefined && budget !== 'upload' ? [request.raw, reply.raw] : [reply.raw]
    const { deadline } = request
    if (deadline) deadline.isWaiting = true
    const begin = async () => uploads.enter(asker)
    begin().then(() => {
      if (deadline) deadline.isWaiting = false
      void Promise.race(ends.map(whenClosed)).then(() => uploads.leave(asker))
      done(null)
    }, done)
  }
}
