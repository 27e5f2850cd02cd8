import type { Middleware, Client as OpenApiClient } from 'openapi-fetch'
import type { paths } from '../generated/openapi.ts'
import { foreign, isJson } from './request.ts'

/** Every operation, in the form and with the types of openapi-fetch. */
export type Operations = OpenApiClient<paths, `${string}/${string}`>

interface Init extends Omit<RequestInit, 'body' | 'headers'> {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> }
  body?: unknown
  headers?: Record<string, unknown>
  parseAs?: 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'
  baseUrl?: string
  fetch?: Fetch
}

/** `form`: the request's body where it is a form. */
type Fetch = (request: Request, form?: FormData) => Promise<Response>

/** The methods that the service has. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']

/** The part of openapi-fetch that this service needs, in a quarter of its size. */
export function createOperations(base: string, usual: Fetch): Operations {
  const middlewares: Middleware[] = []

  async function request(method: string, path: string, given: Init = {}) {
    const {
      params = {},
      body,
      headers = {},
      parseAs = 'json',
      baseUrl = base,
      fetch = usual,
      ...init
    } = given
    const isForm = body instanceof FormData
    const set = new Headers(body === undefined || isForm ? {} : { 'content-type': 'application/json' })
    for (const [name, value] of Object.entries(headers)) if (value != null) set.set(name, String(value))
    let asked = new Request(baseUrl + fillIn(path, params.path) + toQuery(params.query), {
      ...init,
      method: method.toUpperCase(),
      headers: set,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const seen = { schemaPath: path, params, id: '', options: { baseUrl, parseAs, fetch } as never }
    let response: Response | undefined
    for (const { onRequest } of middlewares) {
      const changed = await onRequest?.({ ...seen, request: asked })
      if (changed instanceof Response) response = changed
      else if (changed) asked = changed
      if (response) break
    }
    response ??= await fetch(asked, isForm ? body : undefined)
    for (const { onResponse } of [...middlewares].reverse())
      response = (await onResponse?.({ ...seen, request: asked, response })) ?? response
    return read(response, parseAs)
  }

  return {
    request,
    ...Object.fromEntries(
      METHODS.map((method) => [method, (path: string, init?: Init) => request(method, path, init)]),
    ),
    use: (...added: Middleware[]) => void middlewares.push(...added),
    eject: (...removed: Middleware[]) =>
      void middlewares.splice(
        0,
        Number.POSITIVE_INFINITY,
        ...middlewares.filter((each) => !removed.includes(each)),
      ),
  } as unknown as Operations
}

function fillIn(path: string, values: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
}

function toQuery(values: Record<string, unknown> = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const each of [value].flat()) if (each != null) query.append(name, String(each))
  const text = query.toString()
  return text && `?${text}`
}

async function read(response: Response, parseAs: NonNullable<Init['parseAs']>) {
  const isData = isJson(response)
  if (!response.ok) return { error: await (isData ? response.json() : response.text()), response }
  if (parseAs === 'stream') return { data: response.body, response }
  if (isData || parseAs !== 'json') return { data: await response[parseAs](), response }
  // What isn't JSON, the service answers as a file: a table, an export.
  if (!response.headers.has('content-disposition')) throw foreign(response.status)
  return { data: await response.text(), response }
}
