import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteOptions,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Content } from '../../schemas/common.ts'

type OptionalSchema = TSchema | undefined
type ValueOf<S extends OptionalSchema> = S extends TSchema ? Static<S> : unknown
/** Nothing is returned where nothing is answered but the envelope. */
// biome-ignore lint/suspicious/noConfusingVoidType: what a handler without a return gives
type HandlerResult<Answer> = FastifyReply | (object extends Content<Answer> ? void : Content<Answer>)

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'PUT,PATCH' | 'DELETE'

/** What an operation takes, answers and refuses, and what it does. */
export interface Operation<
  Params extends OptionalSchema,
  Query extends OptionalSchema,
  Body extends OptionalSchema,
  Answer extends OptionalSchema,
  Created extends OptionalSchema,
> extends FastifyContextConfig,
    Pick<RouteOptions, 'bodyLimit' | 'preHandler' | 'validatorCompiler'> {
  summary: string
  description?: string
  security?: readonly Record<string, string[]>[]
  params?: Params
  query?: Query
  body?: Body
  consumes?: string[]
  produces?: string[]
  /** The body of a 200. */
  answer?: Answer
  /** The body of a 201: without an `answer`, of every success. */
  created?: Created
  /** The body of a 202, to a job that goes on. */
  accepted?: Answer
  /** Gives the answer without its envelope, or the reply where it is sent already. */
  run: (
    request: FastifyRequest<{ Params: ValueOf<Params>; Querystring: ValueOf<Query>; Body: ValueOf<Body> }>,
    reply: FastifyReply,
  ) => MaybePromise<HandlerResult<Static<Exclude<Answer | Created, undefined>>>>
}

type MaybePromise<T> = T | Promise<T>

/**
 * For the operations of a plugin: `operation(id, 'GET /address', …)` registers one. They share a tag of the API's
 * documents and what is in `common`.
 */
export function operations(app: FastifyInstance, tag: string, common: FastifyContextConfig = {}) {
  return <
    Params extends OptionalSchema = undefined,
    Query extends OptionalSchema = undefined,
    Body extends OptionalSchema = undefined,
    Answer extends OptionalSchema = undefined,
    Created extends OptionalSchema = undefined,
  >(
    operationId: string,
    address: Method | `${Method} /${string}`,
    operation: Operation<Params, Query, Body, Answer, Created>,
  ): void => {
    const { summary, description, security, params, query, body, consumes, produces, ...others } = operation
    const { answer, created, accepted, bodyLimit, preHandler, validatorCompiler, run, ...own } = others
    const [methods = '', url = ''] = address.split(' ')
    const config = { ...common, ...own }
    const envelope = config.envelope === 'status' ? { status: 'success' } : { success: true }
    const status = answer || !(created || accepted) ? 200 : created ? 201 : 202
    const schema: FastifySchema = {
      operationId,
      summary,
      tags: [tag],
      ...given({ description, security, params, querystring: query, body, consumes, produces }),
      response: given({ 200: answer, 201: created, 202: accepted }),
    }
    app.route({
      method: methods.split(','),
      url,
      config,
      schema,
      ...given({ bodyLimit, preHandler, validatorCompiler }),
      handler: async (request, reply): Promise<unknown> => {
        reply.code(status)
        const fields: unknown = await run(request as Parameters<typeof run>[0], reply)
        // A reply that is waited for gives nothing, once it is sent or its reader is gone.
        const isSent = fields === undefined && (reply.raw.headersSent || reply.raw.destroyed)
        return isSent ? undefined : { ...envelope, ...(fields as object | undefined) }
      },
    })
  }
}

function given<Settings extends object>(settings: Settings) {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Settings]?: Exclude<Settings[Name], undefined> }
}
