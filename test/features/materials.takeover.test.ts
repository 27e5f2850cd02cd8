import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import postgres from 'postgres'
import { expect, test, vi } from 'vitest'
import { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { form } from '../support/content/forms.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { LoopbackS3 } from '../support/outside/s3.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { ServiceProcess } from '../support/processes/process.ts'
import { Documented } from '../support/promises/documented.ts'
import { createDatabase, SECRET } from '../support/service.ts'

const PAGES = 400
const SCRIPT = textPdf(
  Array.from(
    { length: PAGES },
    (_, n) => `Page ${n}.\n${'The entropy of a system never falls. '.repeat(12)}`,
  ),
)
/** A heartbeat that runs out, or tries that come less and less often, and the rest. */
const TAKEOVER_MS = 60_000
const TEST_MS = 120_000

/** As `expect.poll`, which tests that run side by side don't have. */
const until = (isSo: () => Promise<boolean>, timeout = PATIENCE_MS) =>
  vi.waitUntil(isSo, { interval: 5, timeout })

/** Two nodes with one database and one bucket. */
async function startPair() {
  const [database, bucket] = await Promise.all([createDatabase(), LoopbackS3.start()])
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-data-'))
  const env = {
    // Many nodes share one PostgreSQL.
    DATABASE_POOL: '2',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    DEMO: 'off',
    JWT_SECRET: SECRET,
    STORAGE_URL: `s3://files?endpoint=${encodeURIComponent(bucket.endpoint)}&region=us-east-1`,
    AWS_ACCESS_KEY_ID: bucket.accessKeyId,
    AWS_SECRET_ACCESS_KEY: bucket.secretAccessKey,
  }
  const nodes = [new ServiceProcess(env), new ServiceProcess(env)] as const
  const [url, otherUrl] = await Promise.all([nodes[0].ready(), nodes[1].ready()])
  const sql = postgres(database.url, { max: 4, onnotice: () => {} })
  const teacher = new Client(url, await Documented.load(url))
  await teacher.register(`t${randomUUID().slice(0, 8)}`)
  const classId = await createClass(sql, { teachers: [teacher] })
  const survivor = teacher.at(otherUrl)
  const at = `/api/v01/classes/${classId}/materials` as const
  return {
    worker: nodes[0],
    bucket,
    sql,
    async give(): Promise<number> {
      const file = { field: 'file', name: 'script.pdf', bytes: SCRIPT }
      return (await teacher.request('POST', at, form({}, file), 201)).body.material.id
    },
    untilTried: (id: number) =>
      until(async () => (await sql`select from materials where id = ${id} and attempt = 1`).length > 0),
    /** Reading ends as if it had never been interrupted. */
    async expectReadOnce(id: number): Promise<void> {
      const readAgain = async () => (await survivor.get(`${at}/${id}`, 200)).body.material
      await until(async () => (await readAgain()).status !== 'reading', TAKEOVER_MS)
      expect(await readAgain()).toMatchObject({ status: 'ready', pages: PAGES, unreadable_pages: 0 })
      expect(
        await sql`
          select count(*)::int as passages, count(distinct number)::int as numbers, count(distinct page)::int as pages
            from material_passages where material_id = ${id}`,
      ).toEqual([{ passages: PAGES, numbers: PAGES, pages: PAGES }])
      const counted =
        await sql`select word, passages from class_words where class_id = ${classId} order by word`
      const own = await sql`
        select word, each.passages::int as passages from materials, jsonb_each_text(frequent_words) each(word, passages)
         where id = ${id} order by word`
      expect(own.length).toBeGreaterThan(5)
      expect(counted).toEqual(own)
    },
    async close() {
      for (const node of nodes) await node.exit('SIGKILL')
      await sql.end({ timeout: 1 })
      await bucket.close()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
type Pair = Awaited<ReturnType<typeof startPair>>

async function withPair(run: (pair: Pair) => Promise<void>): Promise<void> {
  const pair = await startPair()
  try {
    await run(pair)
  } finally {
    await pair.close()
  }
}

/** Holds up whatever writes to a table until the returned function is called. */
async function hold(sql: postgres.Sql, table: string): Promise<() => Promise<void>> {
  const holder = await sql.reserve()
  await holder`begin`
  await holder`lock table ${sql(table)} in share row exclusive mode`
  return async () => {
    await holder`commit`
    holder.release()
  }
}

const untilHeldUp = (sql: postgres.Sql, table: string) =>
  until(
    async () =>
      (await sql`select from pg_locks where relation = ${table}::regclass and not granted`).length > 0,
  )

/** Gives a file and leaves its reading at this step; answers its id, and what lets the step go on. */
const STEPS: Record<string, (pair: Pair) => Promise<{ id: number; goOn?: () => Promise<void> }>> = {
  async 'its file is fetched'({ give, bucket, untilTried }) {
    const { promise, resolve } = Promise.withResolvers<void>()
    bucket.held = promise
    const id = await give()
    await untilTried(id)
    return { id, goOn: async () => resolve() }
  },
  async 'it is read'({ give, bucket, untilTried }) {
    const id = await give()
    await untilTried(id)
    await until(async () => bucket.reads === 1)
    return { id }
  },
  async 'its passages are stored'({ give, sql }) {
    const goOn = await hold(sql, 'material_passages')
    const id = await give()
    await untilHeldUp(sql, 'material_passages')
    return { id, goOn }
  },
  async 'it is ready, before the queue is told'({ give, sql }) {
    const goOnStoring = await hold(sql, 'material_passages')
    const id = await give()
    await untilHeldUp(sql, 'material_passages')
    const goOn = await hold(sql, 'pgboss.job')
    await goOnStoring()
    await until(async () => (await sql`select from materials where status = 'ready'`).length > 0)
    return { id, goOn }
  },
}

// All wait for a heartbeat to run out, so they run side by side.
test.each(Object.keys(STEPS))(
  'a material whose node is killed while %s is read once, by the other node',
  (step) =>
    withPair(async (pair) => {
      const { id, goOn } = (await STEPS[step]?.(pair)) ?? { id: 0 }
      await pair.worker.exit('SIGKILL')
      await goOn?.()
      await pair.expectReadOnce(id)
      expect(await pair.sql`select count(*)::int from materials`).toEqual([{ count: 1 }])
    }),
  TEST_MS,
)

test(
  'a node that was frozen while it read stores nothing when it wakes up',
  () =>
    withPair(async ({ give, untilTried, bucket, worker, sql, expectReadOnce }) => {
      const id = await give()
      await untilTried(id)
      await until(async () => bucket.reads === 1)
      worker.child.kill('SIGSTOP')
      expect(await sql`select status from materials`).toEqual([{ status: 'reading' }])
      await expectReadOnce(id)
      worker.child.kill('SIGCONT')
      // It reads on, tries to store it, and goes on with what is given next.
      const next = await give()
      await until(
        async () => (await sql`select from materials where id = ${next} and status = 'ready'`).length > 0,
      )
      expect(await sql`select attempt, passages from materials where id = ${id}`).toEqual([
        { attempt: 2, passages: PAGES },
      ])
      expect(await sql`select count(*)::int from material_passages`).toEqual([{ count: 2 * PAGES }])
    }),
  TEST_MS,
)

const OUTAGE_MS = 20_000

test(
  'a material whose file can’t be fetched for 20 s is read afterwards',
  () =>
    withPair(async ({ give, bucket, untilTried, sql, expectReadOnce }) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      bucket.held = promise
      const id = await give()
      await untilTried(id)
      bucket.failing = 503
      resolve()
      await setTimeout(OUTAGE_MS)
      const [tried] = await sql`select attempt, status from materials where id = ${id}`
      expect(tried).toMatchObject({ status: 'reading' })
      expect(tried?.attempt).toBeGreaterThan(2)
      bucket.failing = undefined
      await expectReadOnce(id)
    }),
  TEST_MS,
)
