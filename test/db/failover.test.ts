import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readAddress } from '../../src/db/database-address.ts'
import { closeDatabase, connectDatabase, driverOptions } from '../../src/db/database-client.ts'
import { waitForDatabase } from '../../src/db/database-wait.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { startModel } from '../support/outside/model.ts'
import { startProxy } from '../support/outside/proxy.ts'
import { POSTGRES_PROGRAMS, startReplicated } from '../support/outside/replicated.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { createDatabase, type TestService, withService } from '../support/service.ts'

const log = pino({ level: 'silent' })
const AI = '/api/v01/admin/ai'

/** An administrator; the support's own connection would end at the standby. */
async function administrator(service: TestService): Promise<Client> {
  const admin = await service.person()
  await service.nodes[0]?.core.db.execute(sql`update users set role = 'user,admin' where id = ${admin.id}`)
  await admin.login(admin.username)
  return admin
}

/** Asks for questions, as often as the database is away, and waits until a worker has written them. */
async function generate(admin: Client, examId: number) {
  const fields = { mode: 'pure', topic: 'Sets', exam_id: examId, mcq_count: 1 }
  const patience = { timeout: PATIENCE_MS, interval: 100 }
  const asked = await vi.waitUntil(async () => {
    const answer = await admin.request('POST', `${AI}/generate`, form(fields))
    return answer.status === 503 ? undefined : answer
  }, patience)
  expect(asked.status).toBe(202)
  return vi.waitUntil(async () => {
    const { status, body } = await admin.get(`${AI}/status/${asked.body.job_id}`)
    return status === 503 || body.status === 'running' ? undefined : body
  }, patience)
}

test.each([
  ['postgres://one/exam', [{ host: 'one', port: 5_432 }]],
  ['postgres://[::1]:2/exam', [{ host: '::1', port: 2 }]],
  ['postgres://me@%2Frun%2Fpostgresql/exam', [{ host: '/run/postgresql', port: 5_432 }]],
  ['postgres:///exam?host=/run/postgresql&port=2', [{ host: '/run/postgresql', port: 2 }]],
  [
    'postgres://me:secret@one:1,[::1]:2,three/exam?target_session_attrs=read-write',
    [
      { host: 'one', port: 1 },
      { host: '::1', port: 2 },
      { host: 'three', port: 5_432 },
    ],
  ],
  [
    'postgres://me@/exam?host=one,::1&port=1,2',
    [
      { host: 'one', port: 1 },
      { host: '::1', port: 2 },
    ],
  ],
  [
    'postgres://ignored/exam?host=one,two&port=6',
    [
      { host: 'one', port: 6 },
      { host: 'two', port: 6 },
    ],
  ],
])('the hosts of %s', (url, hosts) => expect(readAddress(url).hosts).toEqual(hosts))

test('servers that can’t be written to are refused', () => {
  expect(() => readAddress('postgres://one,two/exam?target_session_attrs=standby')).toThrow('DATABASE_URL')
})

/** A database that is reached over two proxies, as if these were its hosts. */
async function withTwoHosts() {
  const { url, drop } = await createDatabase()
  const proxies = [await startProxy(new URL(url)), await startProxy(new URL(url))] as const
  const ports = proxies.map(({ port }) => port)
  const both = new URL(url)
  both.host = ''
  both.search = `host=127.0.0.1,127.0.0.1&port=${ports}`
  onTestFinished(async () => {
    for (const proxy of proxies) proxy.close()
    await drop()
  })
  return { url: both.href, proxies }
}

test('a host that says nothing holds no connection up', async () => {
  const { url, proxies } = await withTwoHosts()
  proxies[0].freeze()
  const db = connectDatabase({ url, pool: 2 })
  onTestFinished(() => closeDatabase(db))
  const begun = performance.now()
  await Promise.all([1, 2, 3].map(() => db.execute(sql`select pg_sleep(0.01)`)))
  expect(performance.now() - begun).toBeLessThan(2_000)
})

test('statements to a host that no longer says anything fail, and the next go to the other', async () => {
  const { url, proxies } = await withTwoHosts()
  proxies[1].freeze()
  const driver = postgres(...driverOptions(url, { max: 1 }, 500))
  onTestFinished(() => driver.end({ timeout: 0 }))
  await driver`select 1`
  proxies[0].freeze()
  proxies[1].thaw()
  await expect(driver`select 1`).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  await expect.poll(() => driver`select 2 as two`.catch(() => [])).toEqual([{ two: 2 }])
})

describe.runIf(POSTGRES_PROGRAMS)('with a standby listed first', () => {
  test('start, requests and jobs use the primary, and follow it to another host', async () => {
    const servers = await startReplicated(POSTGRES_PROGRAMS ?? '')
    onTestFinished(() => servers.close())
    const { primaryPort, standbyPort } = servers
    const url = `postgres://postgres@127.0.0.1:${standbyPort},127.0.0.1:${primaryPort}/postgres`
    await waitForDatabase(url, log)
    await migrate(url, log)
    const model = await startModel()
    onTestFinished(() => model.stub.close())
    const warnings: string[] = []
    const service = await withService({
      database: { url, drop: async () => {} },
      config: { ai: model.ai },
      log: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) }),
    })
    const admin = await administrator(service)
    const { body } = await admin.post('/api/v01/admin/exams', { name: 'Generated' }, 201)
    expect(await generate(admin, body.exam.id)).toMatchObject({ status: 'done', questions_so_far: 1 })
    expect(warnings.filter((line) => line.includes('job queue'))).toEqual([])

    await servers.stopPrimary()
    const refused = await service.guest().post('/api/v01/auth/login', { username: 'x', password: 'y' })
    expect(refused.status).toBe(503)
    await servers.promoteStandby()
    const newcomer = { username: 'after', email: 'after@example.org', password: 'a long password' }
    await expect
      .poll(async () => (await service.guest().post('/api/v01/auth/register', newcomer)).status, {
        timeout: 20_000,
      })
      .toBe(201)
    expect(await generate(admin, body.exam.id)).toMatchObject({ status: 'done', questions_so_far: 1 })
  }, 60_000)
})
