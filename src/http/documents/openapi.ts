import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyContextConfig, FastifyInstance, FastifySchema, onRequestHookHandler } from 'fastify'
import type { Config } from '../../settings/config.ts'
import { VERSION } from '../../version.ts'
import { SESSION_COOKIE } from '../cookies.ts'
import { refusalsByStatus } from '../failures.ts'
import { serveFixed } from './fixed-documents.ts'
import { Components, type Schema } from './named-schemas.ts'
import { TAGS } from './tags.ts'

const ADDRESS = '/openapi.json'
const PAGE = '/docs'
const COPIES: ReadonlySet<string> = new Set([`${PAGE}/json`, `${PAGE}/yaml`])

/** The page's own copies of the document would be written anew for each reader. */
const redirect: onRequestHookHandler = (_request, reply) => {
  reply.redirect(ADDRESS)
}

/** The page's files would be compressed anew for each reader. */
const sendAsIs: onRequestHookHandler = (request, _reply, done) => {
  request.headers['accept-encoding'] = 'identity'
  done()
}

/** Describes the API at `/openapi.json`; the page at `/docs` shows and tries it. */
export async function registerOpenApi(app: FastifyInstance, { publicUrl }: Config): Promise<void> {
  const components = new Components(() => app.getSchemas() as Record<string, Schema>)
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Exam Practice Service',
        version: VERSION,
        description:
          'Take exams, ask a tutor, talk live, keep notes. The WebSocket is described in `/asyncapi.json`. Not described are what browsers load (`/docs`, `/desk`, `/pages.css`), the two documents themselves, and `/metrics`, which is in the text format of Prometheus.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl ?? '/', description: 'This service' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: SESSION_COOKIE,
            description: 'A browser’s session; requests that change something have to come from this site.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      schema: nameParts(components, withFailures(schema ?? {}, route.config ?? {})),
      url,
    }),
    transformObject: (described) => {
      const document = ('openapiObject' in described ? described.openapiObject : {}) as unknown as Document
      return finish(components, document) as never
    },
  })
  app.addHook('onRoute', (route) => {
    const hook = COPIES.has(route.url) ? redirect : route.url.startsWith(`${PAGE}/static/`) && sendAsIs
    if (hook) route.onRequest = [hook, ...[route.onRequest ?? []].flat()]
  })
  await app.register(swaggerUi, { routePrefix: PAGE })
  serveFixed(app, ADDRESS, () => app.swagger())
}

interface ContentByType {
  content?: Record<string, { schema?: Schema }>
}

interface DocumentedOperation {
  operationId?: string
  deprecated?: boolean
  security?: object[]
  parameters?: { name: string; required?: boolean; schema: Schema }[]
  requestBody?: ContentByType
  responses: Record<string, ContentByType & { description?: string }>
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, Schema> }
}

/** A route's schema with a failure for each status that it refuses with and doesn't answer otherwise. */
function withFailures(schema: FastifySchema, config: FastifyContextConfig): FastifySchema {
  const { '4xx': _, '5xx': __, ...answers } = (schema.response ?? {}) as Record<string, unknown>
  const failures = [...refusalsByStatus(config)].map(([status, codes]) => {
    const code = { type: 'string', enum: [...codes] }
    const narrowed = { type: 'object', required: ['code'], properties: { code } }
    const description = code.enum.map((each) => `\`${each}\``).join(', ')
    return [status, { allOf: [{ $ref: 'Failure#' }, narrowed], 'x-response-description': description }]
  })
  return { ...schema, response: { ...Object.fromEntries(failures), ...answers } }
}

/** A route's schema with references to the named ones. */
function nameParts(components: Components, { response, ...rest }: FastifySchema): FastifySchema {
  const parts = Object.entries(rest).map(([part, schema]) =>
    PARTS.has(part) ? [part, components.show(schema as Schema)] : [part, schema],
  )
  const answers = Object.entries((response ?? {}) as Record<string, Schema & ContentByType>).map(
    ([status, answer]) => [status, nameContent(components, answer)],
  )
  return {
    ...Object.fromEntries(parts),
    ...(response !== undefined && { response: Object.fromEntries(answers) }),
  }
}

const PARTS: ReadonlySet<string> = new Set(['body', 'querystring', 'params', 'headers'])

function nameContent(components: Components, answer: Schema & ContentByType): object {
  const { content, ...rest } = answer
  if (!content) return components.show(answer)
  const named = Object.entries(content).map(([type, { schema, ...others }]) => [
    type,
    { ...others, ...(schema && { schema: components.show(schema) }) },
  ])
  return { ...rest, content: Object.fromEntries(named) }
}

/** Rewrites what generators of clients can't use in the form of the routes' schemas. */
function finish(components: Components, document: Document): Document {
  const paths = Object.entries(document.paths).map(([route, operations]) => [
    // Only the router calls the rest of a path `*`.
    route.replace('{*}', '{path}'),
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, finishOperation(method, operation)]),
    ),
  ])
  return {
    ...document,
    paths: Object.fromEntries(paths),
    components: { ...document.components, schemas: components.schemas },
  }
}

function finishOperation(method: string, operation: DocumentedOperation): DocumentedOperation {
  const { operationId, parameters, requestBody, responses, deprecated, security = [] } = operation
  const isForm = requestBody?.content?.['application/x-www-form-urlencoded'] !== undefined
  return {
    ...operation,
    ...(operationId && { operationId: nameOperation(operationId, method, deprecated) }),
    security,
    ...(parameters && {
      parameters: parameters.map(({ name, required, schema, ...rest }) => ({
        ...rest,
        name: name === '*' ? 'path' : name,
        required: required === true && schema.default === undefined,
        schema,
      })),
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        {
          ...response,
          ...(isForm && Number(status) >= 400 && { content: { ...response.content, ...FORM_AGAIN } }),
          description: describe(status, response.description),
        },
      ]),
    ),
  }
}

/** An operation's unique name: routes of other methods, or of the older generation, may have the same `operationId`. */
function nameOperation(name: string, method: string, isOld = false): string {
  const own = method === 'put' && /^(change|rename)/.test(name) ? `${name}ByPut` : name
  return isOld ? `old${own.charAt(0).toUpperCase()}${own.slice(1)}` : own
}

/** A default description of a status. */
function describe(status: string, given = DEFAULT): string {
  return given === DEFAULT ? (MEANINGS[status] ?? STATUS_CODES[status] ?? status) : given
}

/** How a browser's form is told a failure: the form again, with a message. */
const FORM_AGAIN = { 'text/html': { schema: { type: 'string' } } }

const DEFAULT = 'Default Response'
const MEANINGS: Record<string, string> = { 200: 'Done', 201: 'Made', 202: 'Accepted as a job' }
