import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import type { Config } from '../settings/config.ts'
import { bearerToken } from './caller-tokens.ts'
import { SESSION_COOKIE } from './cookies.ts'
import { mediaTypeOf } from './request-log.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses changes that another site made a browser send: requests with the session cookie, and all requests that are
 * not JSON. Browsers send the latter without a preflight, and one could sign somebody in as another person. Bearer
 * tokens are safe: browsers never add them by themselves.
 */
export function registerCrossSiteGuard(app: FastifyInstance, config: Config): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(
      isForgeable(request) && isCrossSite(request, config) ? new AppError('cross_site_request') : undefined,
    )
  })
}

function isForgeable(request: FastifyRequest): boolean {
  if (SAFE_METHODS.has(request.method) || bearerToken(request.headers.authorization) !== undefined)
    return false
  return request.cookies[SESSION_COOKIE] !== undefined || mediaTypeOf(request) !== 'application/json'
}

/** Whether a browser reports that another site made it send this request. Other programs don't report that. */
function isCrossSite(request: FastifyRequest, config: Config): boolean {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  if (origin !== undefined) return !isTrustedOrigin(origin, request, config)
  return site === 'cross-site' || site === 'same-site'
}

/** This service's own origin, or one that the operator lists. */
export function isTrustedOrigin(origin: string, request: FastifyRequest, config: Config): boolean {
  if (config.corsOrigins.includes(origin) || origin === originOf(config.publicUrl)) return true
  // Only the host is compared: behind a proxy that ends TLS we don't know the scheme.
  return URL.canParse(origin) && new URL(origin).host === request.host
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin
}
