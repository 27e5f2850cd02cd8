import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { VERSION } from '../version.ts'
import type { TraceSettings } from './trace-settings.ts'

/** Kinds of spans, as OTLP numbers them. */
const KINDS = { server: 2, client: 3 } as const
/** Spans that wait to be sent; more are dropped, so that traces never slow anybody down. */
const MOST_WAITING = 2_048
const MOST_TOGETHER = 512

type Attributes = Record<string, string | number>

interface Outcome {
  name?: string
  failed?: boolean
  attributes?: Attributes
}

/** A span: one step of a request, and how long it took. */
export class Span {
  readonly traceId: string
  readonly id = randomBytes(8).toString('hex')
  readonly #tracer: Tracer
  readonly #parentId: string | undefined
  readonly #kind: keyof typeof KINDS
  readonly #startedAt = now()
  readonly #attributes: Attributes
  readonly #name: string

  constructor(
    tracer: Tracer,
    kind: keyof typeof KINDS,
    name: string,
    attributes: Attributes,
    parent: { traceId: string; id: string } | undefined,
  ) {
    this.#tracer = tracer
    this.#kind = kind
    this.#name = name
    this.#attributes = attributes
    this.traceId = parent?.traceId ?? randomBytes(16).toString('hex')
    this.#parentId = parent?.id
  }

  /** Begins a part of this span. */
  begin(name: string, attributes: Attributes): Span {
    return new Span(this.#tracer, 'client', name, attributes, this)
  }

  /** `attributes` that are known by then. */
  end({ name = this.#name, failed = false, attributes = {} }: Outcome = {}): void {
    this.#tracer.add({
      traceId: this.traceId,
      spanId: this.id,
      ...(this.#parentId === undefined ? {} : { parentSpanId: this.#parentId }),
      name,
      kind: KINDS[this.#kind],
      startTimeUnixNano: this.#startedAt,
      endTimeUnixNano: now(),
      attributes: toAttributes({ ...this.#attributes, ...attributes }),
      status: failed ? { code: 2 } : {},
    })
  }
}

const current = new AsyncLocalStorage<Span>()

/** Begins a part of the current span; undefined if nothing is traced here, which then costs nothing more. */
export function beginSpan(name: string, attributes: Attributes = {}): Span | undefined {
  return current.getStore()?.begin(name, attributes)
}

/** Makes `span` the parent of all spans that begin in `work`, and in everything that `work` causes. */
export function within<T>(span: Span, work: () => T): T {
  return current.run(span, work)
}

/** Sends what has ended to a collector, now and then, as OTLP in JSON over HTTP. */
export class Tracer {
  readonly #settings: TraceSettings
  readonly #warn: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #waiting: object[] = []
  #isAway = false

  /** `warn` is told of the first failure of each row of them. */
  constructor(settings: TraceSettings, warn: (error: unknown) => void) {
    this.#settings = settings
    this.#warn = warn
    this.#timer = setInterval(() => void this.#send(), settings.delayMs).unref()
  }

  /** A request's own span; `traceparent` is its header (W3C). undefined: this one isn't traced. */
  beginRequest(name: string, attributes: Attributes, traceparent: string | undefined): Span | undefined {
    const [, traceId = '', id = '', flags = ''] =
      /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})/.exec(traceparent ?? '') ?? []
    const parent = traceId === '' ? undefined : { traceId, id }
    const span = new Span(this, 'server', name, attributes, parent)
    const { ratio, followsCaller } = this.#settings
    const isKept =
      parent && followsCaller
        ? (Number.parseInt(flags, 16) & 1) === 1
        : Number.parseInt(span.traceId.slice(-13), 16) < ratio * 2 ** 52
    return isKept ? span : undefined
  }

  add(span: object): void {
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(span)
    if (this.#waiting.length === MOST_TOGETHER) void this.#send()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#send()
  }

  async #send(): Promise<void> {
    const spans = this.#waiting
    if (spans.length === 0) return
    this.#waiting = []
    const { url, headers, timeoutMs, resource } = this.#settings
    const scope = { name: 'exam-practice', version: VERSION }
    const body = {
      resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans: [{ scope, spans }] }],
    }
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`)
      this.#isAway = false
    } catch (error) {
      if (!this.#isAway) this.#warn(error)
      this.#isAway = true
    }
  }
}

/** Nanoseconds since the epoch, as text: they are more than a number holds. */
function now(): string {
  const microseconds = Math.round((performance.timeOrigin + performance.now()) * 1_000)
  return `${microseconds}000`
}

function toAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}
