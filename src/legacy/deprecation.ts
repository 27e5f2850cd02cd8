import type { FastifyInstance, FastifyRequest } from 'fastify'
import { http as measured } from '../telemetry/metrics.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The address that replaces a deprecated route, with the same parameters. */
    successor?: string
  }
}

export interface Deprecation {
  since: Date
  /** When it may be gone; undefined while nobody has decided. */
  sunset: Date | undefined
}

/**
 * Deprecates all routes that are registered on `scope` from now on; `successorOf` gives the successor of each
 * address.
 */
export type Deprecate = (scope: FastifyInstance, successorOf: (url: string) => string) => void

/**
 * Every answer of a deprecated route, refusals included, says since when it is deprecated (RFC 9745), when it ends
 * (RFC 8594) if that is known, and what replaces it. The API's documents mark it. `deprecated_calls_total` counts its
 * calls from 0 on, so routes that nobody calls are visible as well.
 */
export function createDeprecation({ since, sunset }: Deprecation): Deprecate {
  const headers = {
    deprecation: `@${Math.floor(since.getTime() / 1_000)}`,
    ...(sunset ? { sunset: sunset.toUTCString() } : {}),
  }

  return (scope, successorOf) => {
    scope.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, deprecated: true }
      route.config = { ...route.config, successor: successorOf(route.url) }
      for (const method of [route.method].flat())
        if (method !== 'HEAD') measured.deprecated.inc({ method, route: route.url }, 0)
    })
    scope.addHook('onSend', (request, reply, _payload, done) => {
      reply.headers({ ...headers, link: `<${fillIn(request)}>; rel="successor-version"` })
      done()
    })
    scope.addHook('onResponse', (request, _reply, done) => {
      measured.deprecated.inc({ method: request.method, route: request.routeOptions.url ?? '' })
      done()
    })
  }
}

/** The successor's address for this request. */
function fillIn({ params, routeOptions }: FastifyRequest): string {
  const { successor = '' } = routeOptions.config
  const values = params as Record<string, unknown>
  return successor.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
}
