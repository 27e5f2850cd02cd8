import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'

interface KnownRoute {
  pattern: RegExp
  method: string
  envelope: FastifyContextConfig['envelope']
}

/** The other methods of an address that has no route for the request's method. */
export interface OtherMethods {
  /** For the header `Allow`. */
  allow: string
  envelope: FastifyContextConfig['envelope']
}

/** Finds out whether an unknown route is a known address with other methods. */
export function watchMethods(app: FastifyInstance): (request: FastifyRequest) => OtherMethods | undefined {
  const known: KnownRoute[] = []
  app.addHook('onRoute', ({ url, method, schema, config }) => {
    // A wildcard page handles unknown addresses itself, and CORS answers all `OPTIONS`.
    if (schema?.hide && url.endsWith('*')) return
    for (const each of [method].flat())
      if (each !== 'OPTIONS')
        known.push({ pattern: toPattern(url), method: each, envelope: config?.envelope })
  })

  return ({ method, url }) => {
    const path = url.split('?', 1)[0] as string
    const matching = known.filter(({ pattern }) => pattern.test(path))
    const allow = [...new Set(matching.map((each) => each.method))]
    if (allow.length === 0 || allow.includes(method)) return undefined
    return { allow: allow.join(', '), envelope: matching[0]?.envelope }
  }
}

/** Matches as the router does: a parameter is one segment, a star is the rest, a slash at the end is ignored. */
function toPattern(url: string): RegExp {
  const source = url
    .replace(/\/$/, '')
    .replaceAll(/[.+?^$()|[\]{}\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replace(/\*$/, '.*')
  return new RegExp(`^${source}/?$`)
}
