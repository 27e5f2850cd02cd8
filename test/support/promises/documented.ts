import Schemas from 'typebox/schema'
import { expect } from 'vitest'

/** A JSON schema, as far as the tests look into one. */
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
  /** The schema of each status's JSON body; undefined where it has none. */
  answers: Map<string, object | undefined>
  /** Of its JSON body, if it takes one. */
  body: Schema | undefined
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[]
}

interface OpenApi {
  components: { schemas: Record<string, Schema> }
  paths: Record<
    string,
    Record<
      string,
      {
        responses: Record<string, { content?: { 'application/json'?: { schema: object } } }>
        security?: object[]
        parameters?: Operation['parameters']
        requestBody?: { content: { 'application/json'?: { schema: Schema } } }
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
 * Holds answers against the service's own description: a status that no route declares is a failure, and so is a
 * body that is not as its schema says.
 */
export class Documented {
  readonly operations: Operation[]
  readonly #components: object
  readonly #patterns: Map<Operation, RegExp>
  readonly #validators = new Map<object, Validator>()

  constructor({ paths, components }: OpenApi) {
    this.#components = components
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
            body: inline(requestBody?.content['application/json']?.schema, components.schemas),
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

  /** Every service of these sources describes itself alike: the first of a worker is asked, for all of them. */
  static load(url: string): Promise<Documented> {
    loading ??= fetch(`${url}/openapi.json`)
      .then((answer) => answer.json())
      .then((document) => new Documented(document as OpenApi))
    return loading
  }

  /** `body` is undefined for what is not JSON. */
  check(method: string, url: string, status: number, body: unknown): void {
    const path = url.split('?', 1)[0] ?? ''
    const operation = this.operations.find(
      (each) => each.method === method && this.#patterns.get(each)?.test(path),
    )
    if (!operation) return
    const { answers } = operation
    expect([...answers.keys()], `${method} ${path} answered a status it does not declare`).toContain(
      String(status),
    )
    const schema = answers.get(String(status))
    if (!schema || body === undefined) return
    const problems = this.#findProblems(schema, body)
    expect(problems, `${method} ${path} answered ${status} with another body than it declares`).toEqual([])
  }

  #findProblems(schema: object, body: unknown): string[] {
    const validator = this.#validatorOf(schema)
    try {
      if (validator.Check(body)) return []
    } catch (error) {
      // Nested more deeply than validators can follow; the test that asked for it looks for itself.
      if (error instanceof RangeError) return []
      throw error
    }
    return validator.Errors(body)[1].map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
  }

  #validatorOf(schema: object): Validator {
    let validator = this.#validators.get(schema)
    if (!validator) {
      // With what it refers to.
      validator = Schemas.Compile({ ...schema, components: this.#components })
      this.#validators.set(schema, validator)
    }
    return validator
  }
}

/** The schema with what it refers to in place; what refers to itself (only answers do) is left a reference. */
function inline<T extends Schema | undefined>(schema: T, known: Record<string, Schema>, within = ''): T {
  return (
    JSON.parse(JSON.stringify(schema ?? null), (_key, value) => {
      if (typeof value?.$ref !== 'string' || within.includes(`${value.$ref} `)) return value
      const target = known[value.$ref.replace('#/components/schemas/', '')]
      return inline(target, known, `${within}${value.$ref} `)
    }) ?? undefined
  )
}
