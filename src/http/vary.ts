import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

/** Whether the caller names this type among those that they take. */
export function accepts({ headers }: Pick<FastifyRequest, 'headers'>, type: string): boolean {
  return headers.accept?.toLowerCase().includes(type) ?? false
}

/** Adds a header of the request to `Vary`. */
export function addVary(reply: FastifyReply, name: 'accept' | 'accept-encoding'): void {
  const said = reply.getHeader('vary')
  reply.header('vary', said === undefined ? name : `${said}, ${name}`)
}

/** Adds `Vary: Accept` to routes whose answer depends on it, also when they refuse. */
export function registerVary(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!isNegotiated(route)) return
    route.onRequest = [
      (_request, reply, done) => {
        addVary(reply, 'accept')
        done()
      },
      ...[route.onRequest ?? []].flat(),
    ]
  })
}

function isNegotiated({ schema }: RouteOptions): boolean {
  const { 200: answer, 303: redirect } = (schema?.response ?? {}) as Record<number, { content?: object }>
  const types = Object.keys(answer?.content ?? {})
  return (
    (schema?.produces ?? []).length > 1 ||
    (types.length > 1 && types.includes('application/json')) ||
    // Browsers are redirected, other clients get an answer.
    (redirect !== undefined && answer !== undefined)
  )
}
