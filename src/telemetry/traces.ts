import {
  type Context,
  context,
  createContextKey,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { VERSION } from '../version.ts'
import { type Attributes, beginSpansWith, type Span } from './spans.ts'
import type { TraceSettings } from './trace-settings.ts'

/** Longest wait for a collector when a node stops; what it hasn't taken by then is lost. */
const LAST_EXPORT_MS = 2_000

/** The tracer of the current request's node. */
const TRACER = createContextKey('tracer')
const propagator = new W3CTraceContextPropagator()

export interface RequestSpan extends Span {
  /** Makes the request the parent of all steps that begin in `work`, and in everything that `work` causes. */
  within<T>(work: () => T): T
  end(outcome?: { name?: string; failed?: boolean; attributes?: Attributes }): void
}

/** One node's traces, sent to a collector as OTLP over HTTP. */
export class Traces {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer

  /** `warn` is told of the first failure of each row of them. */
  constructor(settings: TraceSettings, warn: (error: unknown) => void) {
    const { url, headers, timeoutMs, delayMs, resource, ratio, followsCaller } = settings
    const root = ratio === 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio)
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes(resource),
      sampler: followsCaller ? new ParentBasedSampler({ root }) : root,
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: warnOnFailure(new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs }), warn),
          scheduledDelayMillis: delayMs,
        }),
      ],
    })
    this.#tracer = this.#provider.getTracer('exam-practice', VERSION)
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    beginSpansWith(beginStep)
  }

  /** `headers` may have a caller's `traceparent`. undefined: this request isn't traced. */
  beginRequest(name: string, attributes: Attributes, headers: object): RequestSpan | undefined {
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
    if (!span.isRecording()) return undefined
    const own: Context = trace.setSpan(parent, span).setValue(TRACER, this.#tracer)
    return {
      within: (work) => context.with(own, work),
      end({ name, ...outcome } = {}) {
        if (name !== undefined) span.updateName(name)
        toStep(span).end(outcome)
      },
    }
  }

  async close(): Promise<void> {
    const { promise: tooLong, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, LAST_EXPORT_MS)
    await Promise.race([this.#provider.shutdown(), tooLong])
    clearTimeout(timer)
  }
}

function beginStep(name: string, attributes: Attributes): Span | undefined {
  const active = context.active()
  const tracer = active.getValue(TRACER) as Tracer | undefined
  return tracer && toStep(tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, active))
}

function toStep(span: ReturnType<Tracer['startSpan']>): Span {
  return {
    end({ failed = false, attributes = {} } = {}) {
      span.setAttributes(attributes)
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** The exporter, which tells when it begins to fail: by itself it keeps silent. */
function warnOnFailure(exporter: SpanExporter, warn: (error: unknown) => void): SpanExporter {
  let isAway = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code === ExportResultCode.FAILED
        if (failed && !isAway) warn(result.error)
        isAway = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
