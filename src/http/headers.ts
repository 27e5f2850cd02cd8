import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

/**
 * Written here, because helmet would build it anew for each answer. It has no `upgrade-insecure-requests`, because
 * plain HTTP in a private network is allowed.
 */
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

/** Headers that restrict browsers, and keep answers out of caches. */
export async function registerSecurityHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    // With `no-referrer`, browsers send our own forms with `Origin: null`, which the cross-site guard refuses.
    referrerPolicy: { policy: 'same-origin' },
    // A proxy that ends TLS sends its own.
    strictTransportSecurity: false,
    // Only old browsers read these.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // Nothing private may be cached; answers that may be cached set the header themselves.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done()
  })
}
