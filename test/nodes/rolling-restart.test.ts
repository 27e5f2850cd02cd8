import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { installedBalancers, startBalancer } from '../support/outside/balancers.ts'
import { freePort } from '../support/outside/ports.ts'
import { startNodeProcess } from '../support/processes/process.ts'
import { connect, SECRET, withService } from '../support/service.ts'

const redisUrl = inject('redisUrl')
if (!redisUrl) process.stdout.write('the rolling restart is skipped: it needs Redis\n')
else if (installedBalancers.length === 0)
  process.stdout.write('the rolling restart is skipped: none of nginx, haproxy and caddy is installed\n')

/** How long operators wait between a node's start and the end of the next one: docs/operators/proxies.md. */
const PAUSE_MS = 1_000
/** Pause between the requests of one sender, since the machine also runs three proxies and two nodes. */
const REQUEST_PAUSE_MS = 30
const NEW_SECRET = 'the secret that comes after that one and is as long'

test.runIf(redisUrl && installedBalancers.length > 0)(
  `rolling restarts fail no request and sign nobody out behind ${installedBalancers.join(', ')} as shipped, while JWT_SECRET is replaced`,
  async () => {
    const service = await withService()
    const start = async (port: number, secrets: string) =>
      startNodeProcess({
        env: {
          DATABASE_URL: service.databaseUrl,
          REDIS_URL: redisUrl as string,
          DATA_DIR: service.dataDir,
          JWT_SECRET: secrets,
          TRUST_PROXY: '1',
          PORT: String(port),
          DRAIN_DELAY: '4',
        },
        config: { chat: { sendIntervalMs: 0 } },
      })
    const ports: [number, number] = [await freePort(), await freePort()]
    let nodes = await Promise.all(ports.map((port) => start(port, SECRET)))

    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const conversation = await connect(alice, bob)
    const messages = `/api/v01/chat/conversations/${conversation}/messages` as const
    const failed: string[] = []
    const acknowledged: number[] = []
    let done = false
    onTestFinished(() => {
      done = true
    })

    /** Alternates reads and sends, never repeats a failed one, closes the connection and signs in anew now and then. */
    async function sendRequests(name: string, url: string): Promise<number> {
      let count = 0
      const by = alice.at(url)
      for (; !done; count++) {
        await sleep(REQUEST_PAUSE_MS)
        const isRead = count % 2 === 0
        try {
          const headers = count % 7 === 0 ? { connection: 'close' } : {}
          if (count % 20 === 0) await by.login(alice.username)
          if (isRead) await by.request('GET', '/api/v01/chat/unread', undefined, 200, headers)
          else {
            const body = { message: `${name} ${count}` }
            const answer = await by.request('POST', messages, body, 201, headers)
            acknowledged.push(answer.body.message.id)
          }
        } catch (error) {
          failed.push(`${name}: ${(error as Error).cause ?? error}`)
        }
      }
      return count
    }

    const fronts = await Promise.all(
      installedBalancers.map(async (name) => {
        const { url, stop } = await startBalancer(name, ports)
        onTestFinished(stop)
        return { name, url }
      }),
    )
    for (const { name, url } of fronts) {
      expect((await fetch(`${url}/metrics`)).status, name).toBe(404)
      expect((await fetch(`${url}/%6Detrics/`)).status, name).toBe(404)
      const wrong = { username: `${name} nobody`, password: 'whatever it is' }
      await service.guest().at(url).request('POST', '/api/v01/auth/login', wrong, 401, {
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-host': 'evil.example.org',
      })
      const socket = await alice.at(url).socket()
      await socket.close()
    }
    expect(await service.sql`select distinct ip from login_failures`).toEqual([{ ip: '127.0.0.1' }])

    const senders = fronts.flatMap(({ name, url }) => [1, 2, 3].map(() => sendRequests(name, url)))
    // A new secret on the way: what one node signs, the other one has to know (docs/operators/security.md).
    for (const secrets of [`${SECRET},${NEW_SECRET}`, `${NEW_SECRET},${SECRET}`]) {
      const restarted: typeof nodes = []
      for (const [index, node] of nodes.entries()) {
        await sleep(PAUSE_MS)
        expect(await node.exit('SIGTERM')).toBe(0)
        restarted.push(await start(ports[index] as number, secrets))
      }
      nodes = restarted
    }
    await sleep(PAUSE_MS)
    done = true
    const counts = await Promise.all(senders)

    expect(failed).toEqual([])
    for (const count of counts) expect(count).toBeGreaterThan(10)
    const stored = await service.sql`select id from messages order by id`
    expect(stored.map(({ id }) => id)).toEqual(acknowledged.toSorted((one, other) => one - other))
  },
  300_000,
)
