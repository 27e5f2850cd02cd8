import { once } from 'node:events'
import { Compile } from 'typebox/compile'
import { WebSocket } from 'ws'
import type { ServerFrames } from '../../client/src/generated/frames.ts'
import { ServerFrame } from '../../schemas/events.schemas.ts'
import { PATIENCE_MS } from './patience.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
export type Frame = { type: string; [field: string]: any }

export interface SocketOptions {
  url: string
  token?: string | undefined
  headers?: Record<string, string>
  protocols?: string[]
}

const validators = new Map(
  ServerFrame.anyOf.map((schema) => [schema.properties.type.const as string, Compile(schema)]),
)

/** Throws if a frame doesn't fit its schema in `/asyncapi.json`. */
function requireDocumented(frame: Frame): void {
  const validator = validators.get(frame.type)
  if (!validator) throw new Error(`a frame of a type that is not documented: ${frame.type}`)
  if (validator.Check(frame)) return
  const problems = validator.Errors(frame).map(({ instancePath, message }) => `${instancePath} ${message}`)
  throw new Error(`a frame is not as documented: ${problems.join(', ')}\n${JSON.stringify(frame)}`)
}

/** A client's socket that keeps every frame that it receives. */
export class TestSocket {
  readonly ws: WebSocket
  readonly frames: Frame[] = []
  closed: { code: number; reason: string } | undefined
  readonly #wakers = new Set<() => void>()
  #refs = 0

  /** `isService`: false if the other end is part of the test, whose frames aren't documented. */
  constructor(ws: WebSocket, isService = true) {
    this.ws = ws
    ws.on('message', (data) => {
      const frame: Frame = JSON.parse(data.toString())
      // This fails the run even if the test doesn't look at the frame.
      if (isService) requireDocumented(frame)
      this.frames.push(frame)
      this.#wake()
    })
    ws.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() }
      this.#wake()
    })
    ws.on('error', () => {})
  }

  /** Sends a request and waits for its `ack` or `error`. */
  async ask(frame: Frame): Promise<Frame> {
    this.#refs += 1
    const ref = `r${this.#refs}`
    this.send({ ...frame, ref })
    return this.waitFor((each) => each.ref === ref)
  }

  send(frame: object | string): void {
    this.ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  /** The first frame that fits, whether it has come already or comes later. */
  waitFor(fits: (frame: Frame) => boolean, timeoutMs = PATIENCE_MS): Promise<Frame> {
    return this.until(() => this.frames.find(fits), timeoutMs)
  }

  of<T extends keyof ServerFrames>(type: T): ServerFrames[T][] {
    return this.frames.filter((frame) => frame.type === type) as ServerFrames[T][]
  }

  /** Waits until `look` answers something; it is called again after each frame. */
  async until<T>(look: () => T | undefined | false, timeoutMs = PATIENCE_MS): Promise<T> {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      const left = deadline - performance.now()
      if (left <= 0)
        throw new Error(
          `nothing came within ${timeoutMs} ms; last frames: ${JSON.stringify(this.frames.slice(-5))}`,
        )
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer)
          this.#wakers.delete(done)
          resolve()
        }
        const timer = setTimeout(done, left)
        this.#wakers.add(done)
      })
    }
  }

  async closure(timeoutMs = PATIENCE_MS): Promise<{ code: number; reason: string }> {
    return this.until(() => this.closed, timeoutMs)
  }

  async close(): Promise<void> {
    this.ws.close()
    await this.closure()
  }

  #wake(): void {
    for (const wake of [...this.#wakers]) wake()
  }
}

/**
 * Opens a socket with the token in the header, unless other credentials are given, and waits for `ready`, or for its
 * end.
 */
export async function openSocket({ url, token, headers, protocols }: SocketOptions): Promise<TestSocket> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/api/v01/ws`, protocols ?? [], {
    headers: {
      ...(token === undefined || protocols ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })
  const socket = new TestSocket(ws)
  await once(ws, 'open')
  await socket.until(() => socket.closed ?? socket.of('ready')[0])
  return socket
}

/** The HTTP answer to a refused upgrade. */
export async function refusedUpgrade(options: SocketOptions): Promise<{ status: number; body: unknown }> {
  const { url, token, headers, protocols } = options
  const ws = new WebSocket(`${url.replace('http', 'ws')}/api/v01/ws`, protocols ?? [], {
    headers: {
      ...(token === undefined || protocols ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })
  ws.on('error', () => {})
  const [, response] = await once(ws, 'unexpected-response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) }
}
