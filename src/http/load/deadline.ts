import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { busy } from '../../errors.ts'
import { hangUpSignal } from '../requests.ts'
import { dropBody } from './parser.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How long the body may take to arrive, as long as it makes progress, as for uploads over a slow line. After that
     * the usual deadline begins.
     */
    uploadTimeoutMs?: number
  }
  interface FastifyRequest {
    deadline: Deadline | null
  }
}

/** Bytes of a body that have to arrive within each `patienceMs`; a slower client is cut off. */
const LEAST_PROGRESS = 16 * 1024
/**
 * How long a client may go on sending its body after the answer, so that it can read the answer: a part of
 * `patienceMs`.
 */
const LINGER = 0.5
/** How long an answer may take to be read, as a multiple of `patienceMs`. */
const LONGEST_ANSWER = 60
/** How often an upload is checked within `patienceMs`. */
const CHECKS = 20

interface Deadline {
  timer: NodeJS.Timeout
  /** Whether the body is not read because the request waits for its turn, so that it can't make progress. */
  isWaiting?: boolean
  /** Made when somebody wants to know. */
  passed?: AbortController
  /** Whether the answer is being sent: `reply.sent` is only true after the last byte. */
  isAnswered?: true
}

/**
 * Answers 503 when a request, its body included, takes longer than `patienceMs` or its route's own `handlerTimeout`
 * (docs/protocol/operations.md#deadlines). On routes with a timeout of their own, a body that makes no progress, or
 * takes longer than `uploadTimeoutMs`, is answered 503 too. Connections are closed when a client goes on sending its
 * body long after the answer, or doesn't read its answer. (Fastify 5.12 stops its own timer as soon as a body was read,
 * so that one never fires for a POST.)
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
      dropBody(raw.socket)
      const linger = setTimeout(() => {
        if (!raw.complete) raw.socket.destroy()
      }, LINGER * patienceMs).unref()
      raw.once('close', () => clearTimeout(linger))
    }
    done()
  })
}

/** For requests that are answered outside of Fastify. */
export function dropDeadline(request: FastifyRequest): void {
  clearTimeout(request.deadline?.timer)
  request.deadline = null
}

/** A request that waits for its turn doesn't count as stalled until `resumeDeadline`. */
export function pauseDeadline({ deadline }: FastifyRequest): void {
  if (deadline) deadline.isWaiting = true
}

export function resumeDeadline({ deadline }: FastifyRequest): void {
  if (deadline) deadline.isWaiting = false
}

/** Aborts at the request's deadline, or when its client goes away. */
export function endSignal({ deadline }: FastifyRequest, reply: FastifyReply): AbortSignal {
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

/** `isUpload`: after the body, the usual deadline begins. */
function watch(patienceMs: number, longest: number, isUpload: boolean): onRequestHookHandler {
  return (request, reply, done) => {
    const { raw } = request
    const began = performance.now()
    let progressAt = began
    let bytes = raw.socket.bytesRead
    let wasComplete = false
    const check = () => {
      const now = performance.now()
      const { bytesRead } = raw.socket
      if (deadline.isWaiting || bytesRead - bytes >= LEAST_PROGRESS || (raw.complete && !wasComplete)) {
        bytes = bytesRead
        progressAt = now
      }
      wasComplete = raw.complete
      const isStalled = now - progressAt >= patienceMs && (!raw.complete || isUpload)
      if (!isStalled && now - began < longest) return
      clearInterval(timer)
      end(request, reply, deadline, patienceMs)
    }
    const timer = setInterval(check, patienceMs / CHECKS).unref()
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
  passing(deadline).abort(busy())
  // Nobody needs the rest of the body.
  if (!request.raw.complete) reply.header('connection', 'close')
  void reply.send(busy())
  // The handler goes on, and Fastify would complain about a second answer.
  reply.raw.once('finish', () => {
    reply.send = () => reply
  })
}

/** Closes the connection of a client that stops reading its answer, or takes too long for it. */
function watchReader(request: FastifyRequest, { raw }: FastifyReply, patienceMs: number): void {
  const { socket } = request.raw
  // Node restarts this timer each time the operating system takes some of the data.
  raw.setTimeout(patienceMs, () => {
    if (socket.writableLength > 0) socket.destroy()
  })
  request.deadline = { timer: setTimeout(() => socket.destroy(), patienceMs * LONGEST_ANSWER).unref() }
}

/** Throws `unavailable` if work outside of a request takes too long; the work itself goes on. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(busy()), milliseconds).unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
