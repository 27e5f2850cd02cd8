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
  interface FastifyRequest {
    deadline: Deadline | null
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
  /** Made when somebody wants to know. */
  passed?: AbortController
  /** Whether the answer is being sent: `reply.sent` is only true after the last byte. */
  isAnswered?: true
}

/**
 * Answers 503 where a request takes longer than `patienceMs`, or than its route's own `handlerTimeout`
 * (docs/protocol/operations.md#deadlines), its body included; there a body that stalls ends it as well, and so does one that
 * takes longer than the route's `uploadTimeoutMs`. What is left of a body when the answer is out, and a client that
 * doesn't read its answer, are cut off. (Fastify's own timer ends as soon as a body was read, in 5.12, and so
 * never fires for a POST.)
 */
export function registerDeadline(app: FastifyInstance, patienceMs: number): void {
  app.decorateRequest('deadline', null)
  app.addHook('onRoute', (route) => {
    const { handlerTimeout, config: { uploadTimeoutMs } = {} } = route
    const start =
      handlerTimeout || uploadTimeoutMs
        ? watch(patienceMs, handlerTimeout || Number(uploadTimeoutMs), uploadTimeoutMs !== undefined)
        : limit(patienceMs)
    route.onRequest = [start, ...[route.onRequest ?? []].flat()]
  })
  app.addHook('onSend', ({ deadline }, _reply, _payload, done) => {
    if (deadline) deadline.isAnswered = true
    done()
  })
  app.addHook('onResponse', ({ raw }, reply, done) => {
    clearTimeout(reply.request.deadline?.timer)
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
  clearTimeout(request.deadline?.timer)
  request.deadline = null
}

/** Aborts when the request's time is over, or its client has gone away: then nobody reads the result. */
export function endOf({ deadline }: FastifyRequest, reply: FastifyReply): AbortSignal {
  return deadline ? AbortSignal.any([passing(deadline).signal, hangUpSignal(reply)]) : hangUpSignal(reply)
}

function passing(deadline: Deadline): AbortController {
  deadline.passed ??= new AbortController()
  return deadline.passed
}

function limit(patienceMs: number): onRequestHookHandler {
  return (request, reply, done) => {
    const pass = () => end(request, reply, deadline, patienceMs)
    const deadline: Deadline = { timer: setTimeout(pass, patienceMs).unref() }
    request.deadline = deadline
    done()
  }
}

/** `isUpload`: after the body, the rest has only the usual time. */
function watch(patienceMs: number, longest: number, isUpload: boolean): onRequestHookHandler {
  return (request, reply, done) => {
    const { raw } = request
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
      end(request, reply, deadline, patienceMs)
    }
    const timer = setInterval(look, patienceMs / LOOKS).unref()
    const deadline: Deadline = { timer }
    request.deadline = deadline
    done()
  }
}

function end(request: FastifyRequest, reply: FastifyReply, deadline: Deadline, patienceMs: number): void {
  if (deadline.isAnswered) {
    watchReader(request, reply, patienceMs)
    return
  }
  passing(deadline).abort(new AppError('unavailable', { retryAfter: 2 }))
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
  request.deadline = { timer: setTimeout(() => socket.destroy(), patienceMs * LONGEST_ANSWER).unref() }
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
