import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { busy } from '../errors.ts'
import { hangUpSignal } from './request-log.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long the answer may take once the body is there; left out: as long as any request. */
    timeoutMs?: number
  }
  interface FastifyRequest {
    deadline: Deadline | null
  }
}

/** Bytes of an upload that have to arrive within each `patienceMs`; a slower client is cut off. */
const LEAST_PROGRESS = 16 * 1024
/** How long a client may go on sending its body after the answer, so that it can read it: a part of `patienceMs`. */
const LINGER = 0.5
/** How long an answer may take to be read, as a multiple of `patienceMs`. */
const LONGEST_ANSWER = 60

/**
 * Ends every request (docs/protocol/operations.md#deadlines). What takes longer than `patienceMs`, its body included,
 * is answered 503, unless its route has a `timeoutMs`; the body of a route with the budget `upload` may take longer as
 * long as it keeps arriving. Connections are closed if the client goes on sending its body long after the answer, or
 * doesn't read its answer. (Fastify 5.12 stops its own timer as soon as a body was read, so that it never fires for a
 * POST.)
 */
export function registerDeadline(app: FastifyInstance, patienceMs: number): void {
  app.decorateRequest('deadline', null)
  app.addHook('onRequest', (request, reply, done) => {
    request.deadline = new Deadline(request, reply, patienceMs)
    done()
  })
  app.addHook('onRoute', (route) => {
    if (route.config?.budget !== 'upload') return
    route.onRequest = [
      (request, _reply, done) => {
        request.deadline?.awaitUpload()
        done()
      },
      ...[route.onRequest ?? []].flat(),
    ]
  })
  app.addHook('onSend', ({ deadline }, _reply, _payload, done) => {
    if (deadline) deadline.isAnswered = true
    done()
  })
  app.addHook('onResponse', ({ deadline, raw }, _reply, done) => {
    deadline?.stop()
    if (!raw.complete) {
      const linger = setTimeout(() => raw.socket.destroy(), LINGER * patienceMs).unref()
      raw.once('close', () => clearTimeout(linger))
    }
    done()
  })
}

/** For requests that are answered outside of Fastify. */
export function dropDeadline(request: FastifyRequest): void {
  request.deadline?.stop()
  request.deadline = null
}

/** Aborts at the request's deadline, or when its client goes away. */
export function endSignal({ deadline }: FastifyRequest, reply: FastifyReply): AbortSignal {
  return deadline ? AbortSignal.any([deadline.passed, hangUpSignal(reply)]) : hangUpSignal(reply)
}

class Deadline {
  /** Whether the answer is being sent: `reply.sent` is only true after the last byte. */
  isAnswered = false
  /** Whether it was answered 503, while its handler may go on. */
  hasPassed = false
  /** Whether the body is not read because the request waits for its turn, so that it can't make progress. */
  isWaiting = false
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #patienceMs: number
  #isUpload = false
  #timer: NodeJS.Timeout
  #bytesRead: number
  /** Whether the time for the answer has begun, after that for the body. */
  #hasBody = false
  /** Made when somebody wants to know. */
  #passed: AbortController | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, patienceMs: number) {
    this.#request = request
    this.#reply = reply
    this.#patienceMs = patienceMs
    this.#bytesRead = request.raw.socket.bytesRead
    this.#timer = this.#pass(patienceMs)
  }

  /** Lets the body take as long as it keeps arriving. */
  awaitUpload(): void {
    this.#isUpload = true
    this.#request.raw.once('end', () => this.#allowAnswer())
  }

  get passed(): AbortSignal {
    this.#passed ??= new AbortController()
    return this.#passed.signal
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** Adds to the time for the answer, for a request that asks to wait. */
  extend(ms: number): void {
    if (this.isAnswered || this.hasPassed) return
    this.#hasBody = true
    this.stop()
    this.#timer = this.#pass(ms + this.#patienceMs)
  }

  #pass(afterMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#check(), afterMs).unref()
  }

  #check(): void {
    if (this.isAnswered) this.#watchReader()
    else if (this.#hasBody) this.#end()
    else if (this.#isUpload && this.#makesProgress()) this.#timer.refresh()
    else if (this.#request.raw.complete && this.#request.routeOptions.config?.timeoutMs) this.#allowAnswer()
    else this.#end()
  }

  #makesProgress(): boolean {
    const before = this.#bytesRead
    this.#bytesRead = this.#request.raw.socket.bytesRead
    return this.isWaiting || this.#bytesRead - before >= LEAST_PROGRESS
  }

  #allowAnswer(): void {
    if (this.isAnswered) return
    this.#hasBody = true
    this.stop()
    this.#timer = this.#pass(this.#request.routeOptions.config?.timeoutMs ?? this.#patienceMs)
  }

  #end(): void {
    const reply = this.#reply
    this.hasPassed = true
    this.#passed?.abort(busy())
    // Nobody needs the rest of the body.
    if (!this.#request.raw.complete) reply.header('connection', 'close')
    void reply.send(busy())
    // The handler goes on and answers too, and Fastify warns about second answers: then `send` does nothing any more.
    // Not before this answer is out, since Fastify's handling of errors sends it by `send` as well.
    reply.raw.once('finish', () => {
      reply.send = () => reply
    })
  }

  /** Closes the connection of a client that stops reading its answer, or takes too long for it. */
  #watchReader(): void {
    const { socket } = this.#request.raw
    // Node restarts this timer each time the operating system takes some of the data.
    this.#reply.raw.setTimeout(this.#patienceMs, () => {
      if (socket.writableLength > 0) socket.destroy()
    })
    this.#timer = setTimeout(() => socket.destroy(), this.#patienceMs * LONGEST_ANSWER).unref()
  }
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
