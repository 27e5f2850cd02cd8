import type { Line } from './line.ts'
import { readCall, type Service } from './service.ts'
import type { World } from './world.ts'

/** One node: what is killed with it. */
export interface Node {
  isUp: boolean
  /** The requests that it is working on. */
  readonly running: Set<() => void>
  readonly lines: Set<Line>
}

const WORK_MS = 30

/** The nodes of a service behind a proxy. Any of them can be killed at any moment; what was committed stays. */
export class Cluster {
  readonly nodes: Node[] = [0, 1].map(() => ({ isUp: true, running: new Set(), lines: new Set() }))
  readonly #world: World
  readonly #service: Service

  constructor(world: World, service: Service) {
    this.#world = world
    this.#service = service
  }

  readonly serve = async (request: Request, form?: FormData): Promise<Response> => {
    const call = await readCall(request, form)
    const node = this.#pick()
    if (!node) return proxyPage(503)
    return new Promise((resolve) => {
      const die = () => resolve(proxyPage(502))
      node.running.add(die)
      const isGone = () => !node.running.has(die)
      this.#work(() => {
        if (isGone()) return
        const response = this.#service.respond(call)
        this.#work(() => {
          if (isGone()) return
          node.running.delete(die)
          resolve(response)
        })
      })
    })
  }

  readonly accept = (line: Line): void => {
    const node = this.#pick()
    if (node) {
      node.lines.add(line)
      this.#service.accept(line, () => node.lines.delete(line))
    } else line.close(1006)
  }

  kill(at: number): void {
    const node = this.nodes[at]
    if (!node?.isUp) return
    node.isUp = false
    for (const die of node.running) die()
    node.running.clear()
    for (const line of node.lines) line.close(1006)
    node.lines.clear()
  }

  start(): void {
    for (const node of this.nodes) node.isUp = true
  }

  #pick(): Node | undefined {
    const up = this.nodes.filter(({ isUp }) => isUp)
    return up[Math.floor(this.#world.random() * up.length)]
  }

  #work(run: () => void): void {
    this.#world.after(this.#world.random() * WORK_MS, run)
  }
}

/** What a proxy says in the service's place. */
export function proxyPage(status: number): Response {
  return new Response('<!doctype html><title>Sign in to this network</title>', {
    status,
    headers: { 'content-type': 'text/html' },
  })
}

/** The same, by proxies that name their requests as the service does. */
export const PROXIES = {
  html: proxyPage,
  page(status: number) {
    const page = proxyPage(status)
    page.headers.set('x-request-id', 'proxy')
    return page
  },
  text: (status: number) => named('OK', status, 'text/plain'),
  /** The service's codes, but not in its envelopes. */
  json: (status: number) =>
    named(JSON.stringify(status < 400 ? { ok: true } : { message: '', code: CODES[status] }), status),
  /** Its envelopes, but not its words. */
  coded: (status: number) =>
    named(
      JSON.stringify(
        status < 400
          ? { success: true, status: 'success' }
          : { success: false, status: 'error', message: '', code: 'policy_denied' },
      ),
      status,
    ),
}
export type ProxyAnswer = `${keyof typeof PROXIES} ${number}`

export const PROXY_ANSWERS = (Object.keys(PROXIES) as (keyof typeof PROXIES)[]).flatMap((kind) =>
  [200, 401, 403, 404, 409, 413, 502].map((status): ProxyAnswer => `${kind} ${status}`),
)

const CODES: Record<number, string> = {
  401: 'token_expired_or_invalid',
  403: 'not_connected',
  404: 'not_found',
  409: 'no_active_attempt',
  413: 'payload_too_large',
}

function named(body: string, status: number, type = 'application/json'): Response {
  return new Response(body, { status, headers: { 'content-type': type, 'x-request-id': 'proxy' } })
}
