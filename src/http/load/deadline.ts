import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { AppError } from '../../errors.ts'
import { hangUpSignal } from '../requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How long the body may take in all, as long as it keeps coming: an upload over a slow line. The rest of the work
     * then has the same time as any.
     */
    uploadTimeoutMs?: number
  }
}

/** Bytes of a body that have to arrive within each `patienceMs`: a slower client only blocks a connection. */
const LEAST_PROGRESS = 16 * 1024
/** How long a client may go on sending after the answer, so that it comes to read it: a part of `patienceMs`. */
const LINGER = 0.5
/** How long an answer may take to be read, as a multiple of `patienceMs`. */
const LONGEST_ANSWER = 60
/** How often an upload is checked within `patienceMs`. */
const LOOKS = 20

interface Deadline {
  timer: NodeJS.Timeout
  passed: AbortController
}

const deadlines = new WeakMap<FastifyRequest, Deadline>()
/** Requests whose answer is being sent: `reply.sent` is only true after the last byte. */
const answered = new WeakSet<FastifyRequest>()

/**
 * Answers 503 where a request takes longer than `patienceMs`, or than its route's own `handlerTimeout`
 * (docs/protocol/operations.md#deadlines), its body included; there a body that stalls ends it as well, and so does one that
 * takes longer than the route's `uploadTimeoutMs`. What is left of a body when the answer is out, and a client that
 * doesn't read its answer, are cut off. (Fastify's own timer ends as soon as a body was read, in 5.12, and so
 * never fires for a POST.)
 */
export function registerDeadline(app: FastifyInstance, patienceMs: number): void {
  app.addHook('onRoute', (route) => {
    const { handlerTimeout, config: { uploadTimeoutMs } = {} } = route
    const start =
      handlerTimeout || uploadTimeoutMs
        ? watch(patienceMs, handlerTimeout || Number(uploadTimeoutMs), uploadTimeoutMs !== undefined)
        : limit(patienceMs)
    route.onRequest = [start, ...[route.onRequest ?? []].flat()]
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    answered.add(request)
    done()
  })
  app.addHook('onResponse', ({ raw }, reply, done) => {
    clearTimeout(deadlines.get(reply.request)?.timer)
    if (!raw.complete) {
      const linger = setTimeout(() => {
        if (!raw.complete) raw.socket.destroy()
      }, LINGER * patienceMs).unref()
      raw.once('close', () => clearTimeout(linger))
    }
    done()
  })
}

/** For requests whose answer is given elsewhere. */
export function dropDeadline(request: FastifyRequest): void {
  clearTimeout(deadlines.get(request)?.timer)
  deadlines.delete(request)
}

/** Aborts when the request's time is over, or its client has gone away: then nobody reads the result. */
export function endOf(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const passed = deadlines.get(request)?.passed.signal
  return passed ? AbortSignal.any([passed, hangUpSignal(reply)]) : hangUpSignal(reply)
}

function limit(patienceMs: number): onRequestHookHandler {
  return (request, reply, done) => {
    const passed = new AbortController()
    const timer = setTimeout(() => end(request, reply, passed, patienceMs), patienceMs).unref()
    deadlines.set(request, { timer, passed })
    done()
  }
}

/** `isUpload`: after the body, the rest has only the usual time. */
function watch(patienceMs: number, longest: number, isUpload: boolean): onRequestHookHandler {
  return (request, reply, done) => {
    const { raw } = request
    const passed = new AbortController()
    const began = performance.now()
    let progressAt = began
    let bytes = raw.socket.bytesRead
    let wasComplete = false
    const look = () => {
      const now = performance.now()
      const { bytesRead } = raw.socket
      if (bytesRead - bytes >= LEAST_PROGRESS || (raw.complete && !wasComplete)) {
        bytes = bytesRead
        progressAt = now
      }
      wasComplete = raw.complete
      const isStalled = now - progressAt >= patienceMs && (!raw.complete || isUpload)
      if (!isStalled && now - began < longest) return
      clearInterval(timer)
      end(request, reply, passed, patienceMs)
    }
    const timer = setInterval(look, patienceMs / LOOKS).unref()
    deadlines.set(request, { timer, passed })
    done()
  }
}

function end(
  request: FastifyRequest,
  reply: FastifyReply,
  passed: AbortController,
  patienceMs: number,
): void {
  if (answered.has(request)) {
    watchReader(request, reply, patienceMs)
    return
  }
  passed.abort(new AppError('unavailable', { retryAfter: 2 }))
  // The rest of the body would be read for nothing.
  if (!request.raw.complete) reply.header('connection', 'close')
  void reply.send(new AppError('unavailable', { retryAfter: 2 }))
}

/** From now on a client that stops reading loses the connection, and after a long time every client does. */
function watchReader(request: FastifyRequest, { raw }: FastifyReply, patienceMs: number): void {
  const { socket } = request.raw
  // Node restarts this timer whenever the system accepts a part of the data.
  raw.setTimeout(patienceMs, () => {
    if (socket.writableLength > 0) socket.destroy()
  })
  const timer = setTimeout(() => socket.destroy(), patienceMs * LONGEST_ANSWER).unref()
  deadlines.set(request, { timer, passed: new AbortController() })
}

/** Throws `unavailable` if work outside of a request takes too long; the work itself goes on. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AppError('unavailable', { retryAfter: 2 })), milliseconds).unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
