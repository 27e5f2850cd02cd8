import { pino } from 'pino'
import { expect, inject, onTestFinished, test } from 'vitest'
import type { Config } from '../../src/settings/config.ts'
import { createDatabase, startService, type TestDatabase, type TestService } from '../support/service.ts'

const BEAT_MS = 100

interface Line {
  msg: string
  node?: string
  version?: string
}

/** A node of its own on this database, and what it logs. */
async function startNode(database: TestDatabase, config: Partial<Config>) {
  const lines: Line[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const shared = { url: database.url, drop: async () => {} }
  const settings = { nodes: { beatMs: BEAT_MS }, redisUrl: undefined, ...config }
  const service = await startService({ database: shared, log, config: settings })
  let open = true
  const close = async () => {
    if (open) await service.close()
    open = false
  }
  onTestFinished(close)
  const says = (text: string) => lines.filter(({ msg }) => msg.includes(text))
  return { service, close, says }
}

async function newDatabase(): Promise<TestDatabase> {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  return database
}

const busOf = async (service: TestService) => (await service.guest().get('/readyz', 200)).body.bus

/** How often a node has looked at the others since, by what it writes. */
async function waitForLooks(service: TestService): Promise<void> {
  for (let looks = 0; looks < 3; looks++) {
    const [before] = await service.sql`select max(seen_at) as at from nodes`
    await expect
      .poll(async () => (await service.sql`select from nodes where seen_at <= ${before?.at}`).length)
      .toBe(0)
  }
}

test('nodes on one database that share no Redis say so by name, until one has left', async () => {
  const database = await newDatabase()
  const one = await startNode(database, { port: 3001 })
  expect(await busOf(one.service)).toBe('up')
  const other = await startNode(database, { port: 3002 })
  for (const { service } of [one, other]) await expect.poll(() => busOf(service)).toBe('alone')
  expect((await one.service.guest().get('/metrics', 200)).body).toContain('\nbus_up 0\n')
  expect(one.says('shares the database with this node, but no Redis')).toEqual([
    expect.objectContaining({ node: expect.stringMatching(/:3002$/), version: expect.any(String) }),
  ])
  expect(other.says(':3001 shares the database')).toHaveLength(1)
  await waitForLooks(one.service)
  expect(one.says('shares the database')).toHaveLength(1)
  expect(one.says('JWT_SECRET')).toEqual([])
  await other.close()
  await expect.poll(() => busOf(one.service)).toBe('up')
})

test.runIf(inject('redisUrl'))(
  'nodes that share Redis and secrets say nothing, also while secrets are replaced',
  async () => {
    const database = await newDatabase()
    const [older, newer] = ['o'.repeat(32), 'n'.repeat(32)]
    const config = { redisUrl: inject('redisUrl') }
    const one = await startNode(database, { ...config, jwtSecrets: [older, newer] })
    const other = await startNode(database, { ...config, jwtSecrets: [newer, older] })
    await waitForLooks(one.service)
    for (const { service, says } of [one, other]) {
      expect(await busOf(service)).toBe('up')
      expect(says('the node ')).toEqual([])
    }
    const late = await startNode(database, { ...config, port: 3003, jwtSecrets: [older] })
    await expect.poll(() => other.says(':3003 and this node do not know the JWT_SECRET')).toHaveLength(1)
    await expect.poll(() => late.says('JWT_SECRET')).toHaveLength(1)
    expect(one.says('JWT_SECRET')).toEqual([])
    const rows = JSON.stringify(await one.service.sql`select * from nodes`)
    for (const secret of [older, newer]) expect(rows).not.toContain(secret)
  },
)

test('a node that was killed is none of the others, and its row goes a minute later', async () => {
  const database = await newDatabase()
  const one = await startNode(database, {})
  await one.service.sql`
    insert into nodes (id, name, version, bus, secrets, seen_at) values
      (gen_random_uuid(), 'killed:1', '1.1.0', 'elsewhere', '[]', now() - interval '20 seconds'),
      (gen_random_uuid(), 'gone:1', '1.1.0', 'elsewhere', '[]', now() - interval '61 seconds')`
  await waitForRow('gone:1')
  expect(await busOf(one.service)).toBe('up')
  expect(one.says('the node ')).toEqual([])
  expect(await one.service.sql`select name from nodes where name = 'killed:1'`).toHaveLength(1)

  async function waitForRow(name: string) {
    await expect.poll(() => one.service.sql`select from nodes where name = ${name}`).toHaveLength(0)
  }
})
