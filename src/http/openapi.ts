import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { SESSION_COOKIE } from './same-site.ts'

/** The API's own description at `/openapi.json`, and a page to read and try it at `/docs`. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Exam Practice Service',
        version: '0.1.0',
        description:
          'Take exams, ask a tutor, talk live, keep notes. The WebSocket is described in /asyncapi.json.',
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) =>
        json.$id === undefined ? `schema-${i}` : String(json.$id),
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs' })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}
