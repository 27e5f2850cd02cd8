import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as runMigrations } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../src/db/migrate.ts'
import { compareCounts } from '../support/counts.ts'
import { createDatabase, startService } from '../support/service.ts'

const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url))
const FIXTURE = new URL('fixtures/0004.sql', import.meta.url)
const quiet = { info() {} }
/** The token whose hash is in the fixture. */
const REFRESH_TOKEN = 'A'.repeat(43)

/** Hashes of what deployed databases have already run: a change to one of these would never reach them. */
const RELEASED = {
  '0000_extensions': 'c18914e9cf54a276ac3123206455d854ebd06e9e3cdf3d88fa27676ca5cf4fed',
  '0001_tables': '32a6f2d25bf3dc434452adf7c667a80c4c2a46ab4d1882e5cb4af3d4d0938a81',
  '0002_ghost_and_storage': '951a920e2447cfd4d59def23fad7b47f281d9a9e53a7798f0498e0bff5e053b8',
  '0003_papers': 'f241f1677866723dadfd0f37785cc4ae1e6e0271e9347b906e6da9eaf8896e57',
  '0004_notes': '6f59acc7d229e56f13b9332c8b7b1fcf78ec91da9c651b209e08c89611efb496',
}

test('released migrations have not changed', async () => {
  for (const [name, hash] of Object.entries(RELEASED)) {
    const bytes = await readFile(path.join(MIGRATIONS, `${name}.sql`))
    expect(createHash('sha256').update(bytes).digest('hex'), name).toBe(hash)
  }
})

test('a database of the first release migrates, and its data can be used as before', async () => {
  const database = await createDatabase('template0')
  await fillReleasedSchema(database.url)
  await migrate(database.url, quiet)
  // A node that starts a moment later finds nothing to do.
  await migrate(database.url, quiet)

  const service = await startService({ database })
  onTestFinished(() => service.close())
  const { kept, counted } = await compareCounts(service.sql)
  expect(kept).toEqual(counted)

  const ada = service.guest()
  await ada.login('ADA')
  const bob = service.guest()
  const refreshed = await bob.post(
    '/api/v01/auth/refresh',
    { refresh_token: REFRESH_TOKEN, rotate: true },
    200,
  )
  bob.accessToken = refreshed.body.data.access_token
  await bob.post('/api/v01/auth/refresh', { refresh_token: String(refreshed.body.data.refresh_token) }, 200)

  const { messages } = (await bob.get('/api/v01/chat/conversations/1/messages?peek=true', 200)).body
  expect(messages.map(({ message }) => message)).toEqual(['Hello Bob', 'Are you there?'])
  expect((await bob.get('/api/v01/chat/unread', 200)).body).toMatchObject({ unread: 1 })
  expect((await bob.send(1, 'Here I am')).body.message).toMatchObject({ seq: 3, version: 3 })

  expect((await bob.post('/api/v01/exams/1/start', {}, 200)).body).toMatchObject({
    resumed: true,
    attempt_id: 2,
  })
  expect((await bob.get('/api/v01/exams/1/paper', 200)).body.answers).toEqual({ 1: 'B' })
  const submitted = (await bob.post('/api/v01/exams/1/submit', {}, 200)).body
  expect(submitted.result).toMatchObject({ score: 4, correct: 1 })
  expect((await bob.get('/api/v01/attempts/1', 200)).body.result).toMatchObject({ score: -1, incorrect: 1 })

  // Papers older than the numbers of keys are regraded like others, and the regrade can be undone.
  const regrading = { question_id: 1, action: 'new_key', correct_answer: 'A' } as const
  const { regrade } = (await ada.post('/api/v01/admin/exams/1/regrades', regrading, 201)).body
  expect(regrade).toMatchObject({ attempts: 2, raised: 1, lowered: 1 })
  expect((await bob.get('/api/v01/attempts/1', 200)).body.result).toMatchObject({ score: 4 })
  await ada.post(`/api/v01/admin/regrades/${regrade.id}/undo`, {}, 200)
  expect((await bob.get('/api/v01/attempts/1', 200)).body.result).toMatchObject({ score: -1 })

  // Whoever had come by Google without a name was given their address as one.
  const [grace] = (await ada.get('/api/v01/admin/users?q=grace', 200)).body.users
  expect(grace).toMatchObject({ username: 'grace', full_name: 'grace' })

  const { comments } = (await ada.get('/api/v01/discussions/1', 200)).body
  expect(comments).toMatchObject([{ message: 'Why is it B?', username: 'bob', is_own: false }])
})

/** Runs only the released migrations, and inserts the fixture. */
async function fillReleasedSchema(url: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-migrations-'))
  const client = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await cp(MIGRATIONS, folder, { recursive: true })
    const journal = path.join(folder, 'meta/_journal.json')
    const all = JSON.parse(await readFile(journal, 'utf8'))
    const entries = all.entries.filter(({ tag }: { tag: string }) => Object.hasOwn(RELEASED, tag))
    await writeFile(journal, JSON.stringify({ ...all, entries }))
    await runMigrations(drizzle({ client }), { migrationsFolder: folder })
    await client.unsafe(await readFile(FIXTURE, 'utf8'))
  } finally {
    await client.end()
    await rm(folder, { recursive: true })
  }
}
