import type { FastifyInstance } from 'fastify'

/** Without `upgrade-insecure-requests`, because plain HTTP in a private network is allowed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self'",
].join(';')

/**
 * What restricts browsers: helmet's, as constants, since it makes them anew for each answer (3 % of a request's time).
 * A proxy that ends TLS adds its own `strict-transport-security`.
 */
const RESTRICTIONS = {
  // Nothing private may be cached; answers that may be cached replace the header.
  'cache-control': 'no-store',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  // With `no-referrer`, browsers send our own forms with `Origin: null`, which the cross-site guard refuses.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
}

/** Headers that restrict browsers, and keep answers out of caches. */
export function registerSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(RESTRICTIONS)
    done()
  })
}
