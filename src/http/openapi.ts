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
    transformObject: (described) => {
      const document = 'openapiObject' in described ? described.openapiObject : {}
      return { ...document, paths: describePaths(document.paths as Paths) } as typeof document
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) =>
        json.$id === undefined ? `schema-${i}` : String(json.$id),
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs' })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}

/** What a client's generator needs beside what the routes say: a name for every operation and path parameter. */
function describePaths(paths: Paths): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([route, operations]) => {
      const path = route.replace('{*}', '{path}')
      const named = Object.entries(operations).map(([method, operation]) => [
        method,
        { ...operation, operationId: nameOperation(method, path), ...nameParameters(operation) },
      ])
      return [path, Object.fromEntries(named)]
    }),
  )
}

/** The rest of a path is called `*` in the router alone. */
function nameParameters({ parameters }: { parameters?: { name: string }[] }) {
  return (
    parameters && {
      parameters: parameters.map((each) => (each.name === '*' ? { ...each, name: 'path' } : each)),
    }
  )
}

/** A path's operations by method, as far as they are looked into here. */
type Paths = Record<string, Record<string, { parameters?: { name: string }[] }>>

/** `getExamsByExamIdPaper`; what is not below `/api/v01` says so: `postOldDiscussionCounts`, `postWebLogin`. */
function nameOperation(method: string, path: string): string {
  const generation = path.startsWith('/api/v01/') ? '' : path.startsWith('/api/') ? 'old' : 'web'
  const segments = path
    .replace(/^\/api\/(v01\/)?/, '/')
    .split('/')
    .map((segment) => segment.replace(/^\{(.*)\}$/, 'by-$1'))
  const words = [generation, ...segments].join('-').match(/[A-Za-z0-9]+/g) ?? []
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
