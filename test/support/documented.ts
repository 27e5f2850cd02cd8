import { expect } from 'vitest'

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}

/** Holds answers against the service's own description: a status that no route declares is a failure. */
export class Documented {
  readonly #operations: { method: string; path: RegExp; statuses: Set<string> }[]

  constructor({ paths }: OpenApi) {
    this.#operations = Object.entries(paths)
      // Fixed segments before parameters, as the router prefers them.
      .sort(([one], [other]) => one.split('{').length - other.split('{').length)
      .flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { responses }]) => ({
          method: method.toUpperCase(),
          path: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
          statuses: new Set(Object.keys(responses)),
        })),
      )
  }

  static async load(url: string): Promise<Documented> {
    return new Documented((await (await fetch(`${url}/openapi.json`)).json()) as OpenApi)
  }

  check(method: string, url: string, status: number): void {
    const path = url.split('?', 1)[0] ?? ''
    const operation = this.#operations.find((each) => each.method === method && each.path.test(path))
    if (operation)
      expect(operation.statuses, `${method} ${path} answered a status it does not declare`).toContain(
        String(status),
      )
  }
}
