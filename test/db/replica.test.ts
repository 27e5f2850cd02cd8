import path from 'node:path'
import { pino } from 'pino'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDiskFiles } from '../../src/adapters/files-disk.ts'
import { migrate } from '../../src/db/migrate.ts'
import { writeBackup } from '../../src/features/backup/backup.service.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { POSTGRES_PROGRAMS, startReplicated } from '../support/outside/replicated.ts'
import { type ServiceOptions, withService } from '../support/service.ts'

const ADMIN = '/api/v01/admin'

describe.runIf(POSTGRES_PROGRAMS)('with a standby as DATABASE_READ_URL', () => {
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`

  /** A service that reads from a standby, and a connection to that. */
  async function startWithStandby(options: ServiceOptions = {}) {
    const servers = await startReplicated(POSTGRES_PROGRAMS ?? '')
    onTestFinished(() => servers.close())
    const [url, readUrl] = [urlOf(servers.primaryPort), urlOf(servers.standbyPort)]
    await migrate(url, pino({ level: 'silent' }))
    const service = await withService({
      ...options,
      database: { url, drop: async () => {} },
      config: { databaseReadUrl: readUrl },
    })
    const standby = postgres(readUrl, { max: 1, onnotice: () => {} })
    onTestFinished(() => standby.end({ timeout: 1 }))
    const pause = async () => {
      await standby`select pg_wal_replay_pause()`
      await expect
        .poll(async () => (await standby`select pg_get_wal_replay_pause_state() as s`)[0]?.s)
        .toBe('paused')
    }
    return { servers, service, standby, pause, url, readUrl }
  }

  test('figures are read there, but never what somebody has changed, nor what is too old, nor while it is away', async () => {
    const { servers, service, standby, pause, url, readUrl } = await startWithStandby()
    const [admin, other] = [await service.admin(), await service.admin()]
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

    await pause()
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

  test('marks of a class are never left out because the standby does not know yet that they are open', async () => {
    let now = Date.UTC(2026, 10, 20, 10)
    const minutesAway = (minutes: number) => new Date(now + minutes * 60_000)
    const { service, standby, pause } = await startWithStandby({ clock: () => now })
    const [admin, teacher, ann, ben] = await Promise.all([
      service.admin(),
      service.person(),
      service.person(),
      service.person(),
    ])
    const classId = await createClass(service.sql, { students: [ann, ben], teachers: [teacher] })
    const { examId } = await createExam(service.sql, { result_mode: 'on_release', closes_at: minutesAway(1) })
    await admin.patch(`${ADMIN}/exams/${examId}`, { class_ids: [classId] }, 200)
    await ann.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await ann.post(`/api/v01/exams/${examId}/submit`, { answers: {}, markedForReview: [] }, 200)
    const readRow = async () => {
      const csv = await teacher.fetch('GET', `/api/v01/classes/${classId}/results.csv?exam_id=${examId}`)
      return (await csv.text()).split('\r\n').find((row) => row.includes(ann.username)) ?? ''
    }
    const showsMarks = async () => (await readRow()).split(',')[4] !== ''
    // A connection shows its last statement, which is the end of a snapshot.
    const isRead = async () => {
      const shows = await showsMarks()
      const rows = await standby`
        select 1 from pg_stat_activity where application_name ~ '^exam-practice [0-9]' and query = 'commit'`
      return { shows, isRead: rows.length > 0 }
    }
    await expect.poll(isRead).toEqual({ shows: false, isRead: true })

    // Nobody has read them before: the standby doesn't get to know that somebody does now.
    now += 91_000
    await pause()
    expect(await showsMarks()).toBe(true)
    await standby`select pg_wal_replay_resume()`

    // They are known, closed again, and open again by the clock alone, which is behind for the standby.
    const own = `${ADMIN}/exams/${examId}/accommodations/${ben.id}` as const
    await admin.put(own, { closes_at: minutesAway(3).toISOString() }, 200)
    const isThere = async () => (await standby`select from accommodations where exam_id = ${examId}`).length
    await expect.poll(isThere).toBe(1)
    expect(await showsMarks()).toBe(false)
    now += 211_000
    expect(await showsMarks()).toBe(true)
  }, 60_000)
})
