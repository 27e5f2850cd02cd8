import { randomUUID } from 'node:crypto'
import { decodeIfEncoded } from '../formats/percent.ts'
import { VERSION } from '../version.ts'

/** Where traces go, read from OpenTelemetry's standard variables (docs/protocol/operations.md#traces). */
export interface TraceSettings {
  /** An address that accepts OTLP over HTTP. */
  url: string
  headers: Record<string, string>
  timeoutMs: number
  /** How often ended spans are sent. */
  delayMs: number
  /** The attributes of this service in every span. */
  resource: Record<string, string>
  /** The part of the traces that are kept, 0 to 1. */
  ratio: number
  /** Whether the caller's sampling decision comes first. */
  followsCaller: boolean
}

/** The variables that most people set; the rest: docs/protocol/operations.md#traces. */
export const TRACE_SETTINGS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
]

/** undefined: no traces. Values that can't be read are added to `problems`. */
export function readTraceSettings(
  env: Record<string, string | undefined>,
  problems: string[],
): TraceSettings | undefined {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  if (isOff || (base === undefined && own === undefined)) return undefined
  const url = URL.parse(own ?? `${base?.replace(/\/+$/, '')}/v1/traces`)
  if (!url || !/^https?:$/.test(url.protocol))
    problems.push('OTEL_EXPORTER_OTLP_ENDPOINT: must be an address such as http://127.0.0.1:4318')
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL
  if (protocol === 'grpc')
    problems.push('OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not spoken here; use the port for HTTP (4318)')
  const sampler = env.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on'
  const [, parent, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(sampler) ?? []
  if (kind === undefined) problems.push(`OTEL_TRACES_SAMPLER: '${sampler}' is not known here`)
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG ?? 1)
  if (!(ratio >= 0 && ratio <= 1)) problems.push('OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1')
  const [timeoutMs, delayMs] = [
    Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT ?? 10_000),
    Number(env.OTEL_BSP_SCHEDULE_DELAY ?? 5_000),
  ]
  if (!(timeoutMs > 0)) problems.push('OTEL_EXPORTER_OTLP_TIMEOUT: must be a number of milliseconds')
  if (!(delayMs > 0)) problems.push('OTEL_BSP_SCHEDULE_DELAY: must be a number of milliseconds')
  const resource = readPairs(env.OTEL_RESOURCE_ATTRIBUTES)
  return {
    url: url?.href ?? '',
    headers: readPairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs,
    delayMs,
    resource: {
      // Nodes are told apart by it; a name of the operator's own wins.
      'service.instance.id': randomUUID(),
      'service.version': VERSION,
      ...resource,
      'service.name': env.OTEL_SERVICE_NAME ?? resource['service.name'] ?? 'exam-practice-service',
    },
    ratio: kind === 'always_off' ? 0 : kind === 'traceidratio' ? ratio : 1,
    followsCaller: parent !== undefined,
  }
}

/** `a=1,b=two%20words` */
function readPairs(text = ''): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=')
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeIfEncoded(pair.slice(at + 1).trim())]]
    }),
  )
}
