import type { FastifyInstance } from 'fastify'

const DISPLAY_NAME = Symbol.for('fastify.display-name')

/**
 * Names each plugin after its function. Fastify looks one without a name up among all modules that were ever required,
 * which would take a fifth of building the app.
 */
export function namePlugins(app: FastifyInstance): void {
  app.register = new Proxy(app.register, {
    apply(register, scope, args: [plugin: { name: string; [DISPLAY_NAME]?: string }, options?: object]) {
      args[0][DISPLAY_NAME] ??= args[0].name || 'anonymous'
      return Reflect.apply(register, scope, args)
    },
  })
}
