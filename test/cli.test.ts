import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findRunningEmbedded, startEmbedded } from '../src/db/embedded/embedded-server.ts'
import { PASSWORD } from './support/client.ts'
import { runAdmin } from './support/processes/process.ts'
import { createDatabase, startService, type TestService } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const admin = (args: string[], env: Record<string, string> = { DATABASE_URL: service.databaseUrl }) =>
  runAdmin(args, env)

const passwordIn = (stdout: string) => /Password: (\S+)/.exec(stdout)?.[1] as string

describe('npm run admin', () => {
  test('migrate brings an empty database up to date, and does so again without harm', async () => {
    const database = await createDatabase('template0')
    onTestFinished(() => database.drop())
    for (let turn = 0; turn < 2; turn++)
      expect(await admin(['migrate'], { DATABASE_URL: database.url })).toMatchObject({
        code: 0,
        stdout: 'The database is up to date.\n',
      })
    const made = ['create', '--username', 'first', '--email', 'first@example.org']
    expect(await admin(made, { DATABASE_URL: database.url })).toMatchObject({ code: 0 })
  })

  test('create makes an administrator with the printed or given password', async () => {
    const made = await admin(['create', '--username', 'root', '--email', 'root@example.org'])
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('user,admin') })
    const guest = service.guest()
    await guest.login('root', passwordIn(made.stdout))
    await guest.get('/api/v01/admin/users', 200)

    const given = ['--username', 'root2', '--email', 'root2@example.org', '--password', PASSWORD]
    const second = await admin(['create', ...given, '--role', 'admin', '--full-name', 'Second Root'])
    expect(second.stdout).not.toContain(PASSWORD)
    await service.guest().login('root2')
    const taken = await admin(['create', ...given])
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('username is taken') })
  })

  test('set-role and reset-password end sessions of the running service', async () => {
    const person = await service.person()
    expect(await admin(['set-role', '--username', person.username, '--role', 'user,admin'])).toMatchObject({
      code: 0,
    })
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    await person.login(person.username)
    await person.get('/api/v01/admin/users', 200)

    const reset = await admin(['reset-password', '--username', `${person.username}@example.org`])
    expect(reset.code).toBe(0)
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    await person.login(person.username, passwordIn(reset.stdout))

    const log = await person.get(`/api/v01/admin/audit?subject=user:${person.id}`, 200)
    expect(log.body.entries).toMatchObject([
      { action: 'user.reset_password', actor_id: null, actor: null, ip: null },
      { action: 'user.change_role', actor_id: null, summary: 'From student to student and administrator' },
    ])
  })

  test.each([
    [[], 'Usage'],
    [['create', '--username', 'x', '--email', 'x@example.org'], "'x' is not valid"],
    [['create', '--username', 'xx1', '--email', 'x@example.org', '--full-name', ''], 'full-name'],
    [['create', '--surprise'], 'Usage'],
    [['set-role', '--username', 'nobody', '--role', 'admin'], 'no account nobody'],
    [['set-role', '--username', 'Deleted Account', '--role', 'admin'], 'no account'],
  ])('%j is refused by a message that helps', async (args, help) => {
    const { code, stderr } = await admin(args)
    expect(code).toBe(1)
    expect(stderr).toContain(help)
    expect(stderr).not.toContain('    at ')
  })

  test('works on the embedded database while it is stopped and while it runs', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-cli-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const env = { DATA_DIR: dataDir }
    const stopped = await admin(['create', '--username', 'first', '--email', 'first@example.org'], env)
    expect(stopped).toMatchObject({ code: 0, stderr: '' })
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()

    const running = await startEmbedded({ dataDir, log: { info() {}, warn() {}, error() {} } })
    onTestFinished(() => running.stop())
    expect(await admin(['set-role', '--username', 'first', '--role', 'admin'], env)).toMatchObject({
      code: 0,
    })
    expect(await findRunningEmbedded(dataDir)).toBe(running.url)
  })
})
