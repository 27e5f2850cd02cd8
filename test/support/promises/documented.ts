import Schemas from 'typebox/schema'
import { expect } from 'vitest'

/** The parts of a JSON schema that tests use. */
export interface Schema {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  pattern?: string
  patternProperties?: Record<string, Schema>
  items?: Schema
  maxLength?: number
  maxItems?: number
  maxProperties?: number
}

export interface Operation {
  method: string
  /** With its parameters in braces. */
  path: string
  /** Whether it is for signed-in people. */
  guarded: boolean
  /** The schema of each status's JSON body; undefined if it has none. */
  answers: Map<string, object | undefined>
  /** The media types of each status's body. */
  types: Map<string, string[]>
  /** The schema of its events, if it answers a stream. */
  event: object | undefined
  /** The schema of its JSON body, if it takes one. */
  body: Schema | undefined
  /** Whether it takes a form, too. */
  takesForm: boolean
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[]
}

interface OpenApi {
  components: { schemas: Record<string, Schema> }
  paths: Record<
    string,
    Record<
      string,
      {
        responses: Record<
          string,
          {
            content?: {
              'application/json'?: { schema: object }
              'text/event-stream'?: { schema: { contentSchema: object } }
            }
          }
        >
        security?: object[]
        parameters?: Operation['parameters']
        requestBody?: {
          content: { 'application/json'?: { schema: Schema }; 'multipart/form-data'?: unknown }
        }
      }
    >
  >
}

interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): [isValid: boolean, errors: { instancePath: string; message: string }[]]
}

let loading: Promise<Documented> | undefined

/**
 * Compares answers with `/openapi.json`. A test fails on a status or a media type that the route doesn't declare, and
 * on a body or an event that doesn't fit its schema. At addresses that aren't documented, refusals must fit `Failure`.
 */
export class Documented {
  readonly operations: Operation[]
  readonly #components: Record<string, object>
  readonly #patterns: Map<Operation, RegExp>
  readonly #validators = new Map<object, Validator>()

  constructor({ paths, components }: OpenApi) {
    this.#components = components.schemas
    this.operations = Object.entries(paths)
      // Fixed segments before parameters, as the router prefers them.
      .sort(([one], [other]) => one.split('{').length - other.split('{').length)
      .flatMap(([path, operations]) =>
        Object.entries(operations).map(
          ([method, { responses, security = [], requestBody, parameters = [] }]) => ({
            method: method.toUpperCase(),
            path,
            guarded: security.length > 0 && security.every((way) => Object.keys(way).length > 0),
            answers: new Map(
              Object.entries(responses).map(([status, { content }]) => [
                status,
                content?.['application/json']?.schema,
              ]),
            ),
            types: new Map(
              Object.entries(responses).map(([status, { content = {} }]) => [status, Object.keys(content)]),
            ),
            event: responses[200]?.content?.['text/event-stream']?.schema.contentSchema,
            body: inline(requestBody?.content['application/json']?.schema, components.schemas),
            takesForm: requestBody?.content['multipart/form-data'] !== undefined,
            parameters: parameters.map((each) => ({
              ...each,
              schema: inline(each.schema, components.schemas),
            })),
          }),
        ),
      )
    this.#patterns = new Map(
      this.operations.map((operation) => [
        operation,
        new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
      ]),
    )
  }

  /** The documents are the same for every service, so each worker reads them from its first one only. */
  static load(url: string): Promise<Documented> {
    loading ??= read(url).catch((error) => {
      // The next one tries again: this service may be one that is to fail.
      loading = undefined
      throw error
    })
    return loading
  }

  /** `type`: the media type of the answer, if it has a body. `body`: undefined if it is not JSON. */
  check(method: string, url: string, status: number, type: string | undefined, body: unknown): void {
    const operation = this.#find(method, url)
    const answered = `${method} ${url} answered ${status}`
    if (!operation) {
      const { Failure } = this.#components
      if (status >= 400 && body !== undefined && Failure)
        expect(this.#findProblems(Failure, body), `${answered} with a body that is no failure`).toEqual([])
      return
    }
    expect([...operation.answers.keys()], `${answered}, a status it does not declare`).toContain(
      String(status),
    )
    if (type !== undefined)
      expect(operation.types.get(String(status)), `${answered} in a form it does not declare`).toContain(type)
    const schema = operation.answers.get(String(status))
    if (!schema || body === undefined) return
    const problems = this.#findProblems(schema, body)
    expect(problems, `${answered} with another body than it declares`).toEqual([])
  }

  checkEvent(method: string, url: string, event: { event: string; data: unknown }): void {
    const schema = this.#find(method, url)?.event
    if (!schema) throw new Error(`${method} ${url} declares no events`)
    const problems = this.#findProblems(schema, event)
    expect(problems, `${method} ${url} sent another event than it declares`).toEqual([])
  }

  #find(method: string, url: string): Operation | undefined {
    const path = url.split('?', 1)[0] ?? ''
    return this.operations.find((each) => each.method === method && this.#patterns.get(each)?.test(path))
  }

  #findProblems(schema: object, body: unknown): string[] {
    const validator = this.#validatorOf(schema)
    try {
      if (validator.Check(body)) return []
    } catch (error) {
      // Nested more deeply than validators can follow; the test that sent it checks the answer itself.
      if (error instanceof RangeError) return []
      throw error
    }
    return validator.Errors(body)[1].map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
  }

  #validatorOf(schema: object): Validator {
    let validator = this.#validators.get(schema)
    if (!validator) {
      // Together with the schemas that it refers to.
      validator = Schemas.Compile({ ...schema, components: { schemas: this.#components } })
      this.#validators.set(schema, validator)
    }
    return validator
  }
}

async function read(url: string): Promise<Documented> {
  const answer = await fetch(`${url}/openapi.json`)
  if (!answer.ok) throw new Error(`${url}/openapi.json answered ${answer.status}`)
  return new Documented((await answer.json()) as OpenApi)
}

/** Replaces references by what they refer to, except in schemas that contain themselves (only answers do). */
function inline<T extends Schema | undefined>(schema: T, known: Record<string, Schema>, within = ''): T {
  return (
    JSON.parse(JSON.stringify(schema ?? null), (_key, value) => {
      if (typeof value?.$ref !== 'string' || within.includes(`${value.$ref} `)) return value
      const target = known[value.$ref.replace('#/components/schemas/', '')]
      return inline(target, known, `${within}${value.$ref} `)
    }) ?? undefined
  )
}
