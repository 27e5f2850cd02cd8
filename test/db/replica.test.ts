import path from 'node:path'
import { pino } from 'pino'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDiskFiles } from '../../src/adapters/files-disk.ts'
import { migrate } from '../../src/db/migrate.ts'
import { writeBackup } from '../../src/features/backup/backup.service.ts'
import { POSTGRES_PROGRAMS, startReplicated } from '../support/outside/replicated.ts'
import { withService } from '../support/service.ts'

const ADMIN = '/api/v01/admin'

describe.runIf(POSTGRES_PROGRAMS)('with a standby as DATABASE_READ_URL', () => {
  test('figures are read there, but never what somebody has changed, nor what is too old, nor while it is away', async () => {
    const servers = await startReplicated(POSTGRES_PROGRAMS ?? '')
    onTestFinished(() => servers.close())
    const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
    const [url, readUrl] = [urlOf(servers.primaryPort), urlOf(servers.standbyPort)]
    await migrate(url, pino({ level: 'silent' }))
    const service = await withService({
      database: { url, drop: async () => {} },
      config: { databaseReadUrl: readUrl },
    })
    const [admin, other] = [await service.admin(), await service.admin()]
    const standby = postgres(readUrl, { max: 1, onnotice: () => {} })
    onTestFinished(() => standby.end({ timeout: 1 }))
    const countExams = async (by = admin) => (await by.get(`${ADMIN}/overview`, 200)).body.total_exams

    // A connection shows its last statement.
    const isRead = async () => {
      expect(await countExams()).toBe(0)
      const rows = await standby`
        select 1 from pg_stat_activity
         where application_name ~ '^exam-practice [0-9]' and query like '%count(*)%' and pid <> pg_backend_pid()`
      return rows.length > 0
    }
    await expect.poll(isRead).toBe(true)

    await standby`select pg_wal_replay_pause()`
    await expect
      .poll(async () => (await standby`select pg_get_wal_replay_pause_state() as s`)[0]?.s)
      .toBe('paused')
    await admin.post(`${ADMIN}/exams`, { name: 'One' }, 201)
    // The standby doesn't know it yet.
    expect(await standby`select id from exams`).toEqual([])
    expect(await countExams()).toBe(1)
    expect((await admin.get(`${ADMIN}/audit`, 200)).body.entries[0]).toMatchObject({ action: 'exam.create' })
    // Somebody else waits for a few seconds at most.
    await expect.poll(() => countExams(other), { timeout: 20_000 }).toBe(1)
    expect(await standby`select id from exams`).toEqual([])

    const files = createDiskFiles(path.join(service.dataDir, 'files'))
    const backUp = async () => {
      const said: string[] = []
      const to = { path: path.join(service.dataDir, 'backup.tar') }
      const place = { databaseUrl: url, databaseReadUrl: readUrl, files }
      const { tables } = await writeBackup(place, to, (what) => void said.push(what))
      return { said: said[0], exams: tables.find(({ name }) => name === 'exams')?.rows }
    }
    const fromPrimary = { said: 'the replica is too far behind, or away', exams: 1 }
    expect(await backUp()).toEqual(fromPrimary)
    await standby`select pg_wal_replay_resume()`
    expect(await backUp()).toEqual({ said: 'reading from the replica', exams: 1 })
    await servers.stopStandby()
    expect(await countExams()).toBe(1)
    expect(await backUp()).toEqual(fromPrimary)
  }, 60_000)
})
