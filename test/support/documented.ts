import { expect } from 'vitest'

/** A JSON schema, as far as the tests look into one. */
export interface Schema {
  type?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  pattern?: string
  verbatim?: true
}

export interface Operation {
  method: string
  /** With its parameters in braces. */
  path: string
  /** Whether it is for signed-in people. */
  guarded: boolean
  statuses: Set<string>
  /** Of its JSON body, if it takes one. */
  body: Schema | undefined
}

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      {
        responses: Record<string, unknown>
        security?: unknown[]
        requestBody?: { content: { 'application/json'?: { schema: Schema } } }
      }
    >
  >
}

/** Holds answers against the service's own description: a status that no route declares is a failure. */
export class Documented {
  readonly operations: Operation[]
  readonly #patterns: Map<Operation, RegExp>

  constructor({ paths }: OpenApi) {
    this.operations = Object.entries(paths)
      // Fixed segments before parameters, as the router prefers them.
      .sort(([one], [other]) => one.split('{').length - other.split('{').length)
      .flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { responses, security, requestBody }]) => ({
          method: method.toUpperCase(),
          path,
          guarded: security !== undefined,
          statuses: new Set(Object.keys(responses)),
          body: requestBody?.content['application/json']?.schema,
        })),
      )
    this.#patterns = new Map(
      this.operations.map((operation) => [
        operation,
        new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
      ]),
    )
  }

  static async load(url: string): Promise<Documented> {
    return new Documented((await (await fetch(`${url}/openapi.json`)).json()) as OpenApi)
  }

  check(method: string, url: string, status: number): void {
    const path = url.split('?', 1)[0] ?? ''
    const operation = this.operations.find(
      (each) => each.method === method && this.#patterns.get(each)?.test(path),
    )
    if (operation)
      expect(operation.statuses, `${method} ${path} answered a status it does not declare`).toContain(
        String(status),
      )
  }
}
