import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'

/** The web session's cookie (contract §2). */
export const SESSION_COOKIE = 'session'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses requests that change something and that another site made a browser send: those that carry the
 * session cookie, and forms, which need no leave of ours to be sent and could sign somebody in as another.
 * A bearer token is never sent unasked.
 */
export function registerCrossSiteGuard(app: FastifyInstance, config: Config): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(
      isForgeable(request) && isCrossSite(request, config) ? new AppError('cross_site_request') : undefined,
    )
  })
}

function isForgeable(request: FastifyRequest): boolean {
  const { authorization, 'content-type': type } = request.headers
  if (SAFE_METHODS.has(request.method) || /^Bearer\b/i.test(authorization ?? '')) return false
  const isForm = type?.startsWith('application/x-www-form-urlencoded') ?? false
  return isForm || request.cookies[SESSION_COOKIE] !== undefined
}

/** Whether a browser says that another site is behind this request. Other programs say nothing of the kind. */
function isCrossSite(request: FastifyRequest, config: Config): boolean {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  if (origin !== undefined) return !isTrustedOrigin(origin, request, config)
  return site === 'cross-site' || site === 'same-site'
}

/** This service's own origin, or one that the operator lists. */
export function isTrustedOrigin(origin: string, request: FastifyRequest, config: Config): boolean {
  if (config.corsOrigins.includes(origin) || origin === originOf(config.publicUrl)) return true
  // By host alone: a proxy that ends TLS leaves us to guess the scheme.
  return URL.canParse(origin) && new URL(origin).host === request.host
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin
}
