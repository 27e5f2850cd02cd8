import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { installedBalancers, startBalancer } from '../support/outside/balancers.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { startService, type TestService } from '../support/service.ts'

// Nodes that were away are used again behind the proxies of `deploy/`, however long ago it was (docs/operators/proxies.md).
if (installedBalancers.length === 0)
  process.stdout.write('nodes that return are not tested: none of nginx, haproxy and caddy is installed\n')

/** Longer than any of the files leaves a node alone that was away. */
const PAUSE_MS = 2_500
const AT_ONCE = 20

let service: TestService
let person: Client
beforeAll(async () => {
  service = await startService({ nodes: 2, config: { trustProxy: '1' } })
  person = await service.person()
})
afterAll(() => service.close())

const portOf = (node: number) => Number(new URL(service.urls[node] as string).port)

/** From here on connections to this node are refused. */
async function leave(node: number, name: string): Promise<void> {
  const server = service.nodes[node]?.app.server
  server?.close()
  server?.closeAllConnections()
  // As after a drain: the proxy has no open connection to it, and has seen it leave if it looks at /readyz.
  await setTimeout(name === 'nginx' ? 200 : PAUSE_MS)
}

async function comeBack(node: number): Promise<void> {
  const server = service.nodes[node]?.app.server
  if (server === undefined || server.listening) return
  server.listen(portOf(node), '127.0.0.1')
  await once(server, 'listening')
}

describe.each(installedBalancers)('%s', (name) => {
  let front: string
  beforeEach(async () => {
    const { url, stop } = await startBalancer(name, [portOf(0), portOf(1)])
    onTestFinished(async () => {
      await stop()
      await Promise.all([comeBack(0), comeBack(1)])
    })
    front = url
  })

  /** The statuses of requests that are sent at once: reads, and what is never sent twice, by turns. */
  function ask(count = AT_ONCE): Promise<number[]> {
    const headers = { authorization: `Bearer ${person.accessToken}` }
    return Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const method = n % 2 === 0 ? 'GET' : 'POST'
        const answer = await fetch(`${front}/api/v01/notebooks`, {
          method,
          headers: { ...headers, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
          ...(method === 'POST' ? { body: JSON.stringify({ title: 'A notebook' }) } : {}),
        })
        await answer.arrayBuffer()
        return answer.status
      }),
    )
  }

  async function expectAll(): Promise<void> {
    const all = await ask()
    for (const status of all) expect([200, 201]).toContain(status)
  }

  test(
    'uses both nodes after pauses, though each was away once',
    async () => {
      for (const node of [0, 1]) {
        await leave(node, name)
        for (let n = 0; n < 3; n++) await expectAll()
        await comeBack(node)
        await setTimeout(PAUSE_MS)
      }
      for (let pauses = 0; pauses < 2; pauses++) {
        await expectAll()
        await setTimeout(PAUSE_MS)
      }
      await expectAll()
    },
    2 * PATIENCE_MS,
  )

  test(
    'serves again as soon as nodes are back that were both away',
    async () => {
      await Promise.all([leave(0, name), leave(1, name)])
      for (const status of await ask()) expect([502, 503]).toContain(status)
      await Promise.all([comeBack(0), comeBack(1)])
      // Those that look at /readyz take a moment until they have.
      if (name !== 'nginx') await expect.poll(() => ask(1)).toEqual([200])
      for (let n = 0; n < 3; n++) await expectAll()
      await setTimeout(PAUSE_MS)
      await expectAll()
    },
    2 * PATIENCE_MS,
  )
})
