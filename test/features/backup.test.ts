import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { armor, Encrypter } from 'age-encryption'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { PassagesAnswer } from '../../schemas/materials.schemas.ts'
import { createDiskFiles } from '../../src/adapters/files-disk.ts'
import { startEmbedded } from '../../src/db/embedded/embedded-server.ts'
import { migrate } from '../../src/db/migrate.ts'
import { isEncrypted } from '../../src/features/backup/archive.ts'
import {
  checkBackup,
  type Manifest,
  restoreBackup,
  writeBackup,
} from '../../src/features/backup/backup.service.ts'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { LoopbackS3 } from '../support/outside/s3.ts'
import { adminCommand, runAdmin, startProcess } from '../support/processes/process.ts'
import { connect, createDatabase, SECRET, startService, type TestService } from '../support/service.ts'

const WRITERS = 64
const PASSPHRASE = 'correct horse battery staple'
const quiet = () => {}
let service: TestService
let folder: string
let admin: Client
beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-backup-'))
  admin = await service.admin('root')
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const environment = () => ({ DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir })

async function newPlace() {
  const database = await createDatabase()
  const dataDir = await mkdtemp(path.join(folder, 'data-'))
  onTestFinished(() => database.drop())
  return { DATABASE_URL: database.url, DATA_DIR: dataDir }
}

/** Rows and checksums of each table in a backup. */
const contents = (manifest: Manifest) =>
  manifest.tables.map(({ name, rows, parts }) => ({ name, rows, sums: parts.map(({ sha256 }) => sha256) }))

const filesOf = (dataDir: string) => createDiskFiles(path.join(dataDir, 'files'))

test('a backup taken during writes goes from an embedded database to an external one and back, unchanged', async () => {
  const source = await startOnEmbedded()
  const sourceAdmin = await source.service.admin('root')
  const { examId, questionIds } = await createExam(source.service.sql, {
    duration_minutes: 60,
    questions: [{}, {}],
  })
  const [alice, bob] = [await source.service.person('alice'), await source.service.person('bob')]
  const conversationId = await connect(alice, bob)
  const picture = await makeImage()
  for (let index = 0; index < 3; index++) {
    const upload = form(
      { subject_folder_id: 'Physics' },
      { field: 'images', name: `ü ${index}.png`, bytes: picture },
    )
    await sourceAdmin.request('POST', '/api/v01/admin/images', upload, 200)
  }
  await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)

  let writing = true
  let written = 0
  const writers = Array.from({ length: WRITERS }, async (_, index) => {
    while (writing) {
      if (index % 3 === 0) await alice.send(conversationId, `line one\nline two \\ ${index}\t😀`)
      else if (index % 3 === 1)
        await bob.post(`/api/v01/discussions/${questionIds[0]}`, { message: `comment ${index}` })
      else await sourceAdmin.post('/api/v01/admin/exams', { name: `exam ${index}` })
      written += 1
    }
  })
  await expect.poll(() => written).toBeGreaterThan(WRITERS)
  const file = path.join(folder, 'under-writers.tar')
  const taken = await runAdmin(['backup', '--to', file], { DATA_DIR: source.dataDir })
  writing = false
  await Promise.all(writers)
  expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('Hashes of passwords are in it') })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const text = await readFile(file, 'latin1')
  expect(text).not.toContain('jwt-secret')

  const manifest = await checkBackup({ path: file }, quiet)
  expect(manifest.files.map(({ key }) => key).sort()).toEqual(
    [0, 1, 2].map((index) => `Physics/ü ${index}.png`),
  )
  const place = await newPlace()
  const restored = await runAdmin(['restore', '--from', file], place)
  expect(restored).toMatchObject({ code: 0 })

  const again = path.join(folder, 'again.tar')
  expect((await runAdmin(['backup', '--to', again], place)).code).toBe(0)
  await expectSame(again, manifest)

  const sql = postgres(place.DATABASE_URL, { max: 1 })
  onTestFinished(() => sql.end())
  // The backup is of one moment: every conversation's counter is the number of its newest message.
  expect(
    await sql`
      select c.id from conversations c left join messages m on m.conversation_id = c.id
       group by c.id having c.last_seq <> count(m.id) or c.last_seq <> coalesce(max(m.seq), 0)`,
  ).toEqual([])
  expect(await sql`select from sessions`).toHaveLength(0)
  // The triggers are enabled again.
  await expect(sql`delete from audit_entries`).rejects.toThrow('append-only')

  await expectService(place)

  // And back into an embedded database that has never been started.
  const home = { DATA_DIR: await mkdtemp(path.join(folder, 'data-')) }
  expect(await runAdmin(['restore', '--from', again], home)).toMatchObject({ code: 0 })
  const third = path.join(folder, 'third.tar')
  expect((await runAdmin(['backup', '--to', third], home)).code).toBe(0)
  await expectSame(third, manifest)
  await expectService(home)

  /** Starts a node on the restored data, and uses it. */
  async function expectService(env: Record<string, string>) {
    const node = startProcess({
      ...env,
      DEMO: 'off',
      JWT_SECRET: 'a secret of the tests that is long enough',
    })
    const url = await node.ready()
    const [one, root] = [alice.at(url), sourceAdmin.at(url)]
    await one.login('alice')
    await root.login('root')
    expect((await one.get(`/api/v01/exams/${examId}/paper`, 200)).body.questions).toHaveLength(2)
    await one.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionIds[0] as number]: 'A' } }, 200)
    await one.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await one.send(conversationId, 'after the restore', undefined, 201)
    await one.post(`/api/v01/discussions/${questionIds[0]}`, { message: 'after the restore' }, 201)
    await root.post('/api/v01/admin/exams', { name: 'after the restore' }, 201)
    expect((await root.get('/api/v01/admin/audit', 200)).body.total).toBeGreaterThan(1)
    expect(await node.exit('SIGTERM')).toBe(0)
  }
}, 240_000)

/** A service on an embedded database, with the folders of an operator's installation. */
async function startOnEmbedded(): Promise<{ service: TestService; dataDir: string }> {
  const dataDir = await mkdtemp(path.join(folder, 'embedded-'))
  const log = { info: quiet, warn: quiet, error: quiet }
  const embedded = await startEmbedded({ dataDir, log })
  onTestFinished(() => embedded.stop())
  await migrate(embedded.url, log)
  const own = await startService({
    database: { url: embedded.url, drop: async () => {} },
    config: { storage: { kind: 'disk', folder: path.join(dataDir, 'files') } },
  })
  onTestFinished(() => own.close())
  return { service: own, dataDir }
}

/** Compares rows, checksums, sequences and files with those of another backup. */
async function expectSame(file: string, manifest: Manifest): Promise<void> {
  const other = await checkBackup({ path: file }, quiet)
  expect(contents(other)).toEqual(contents(manifest))
  expect(other.tables.map(({ name, last }) => [name, last])).toEqual(
    manifest.tables.map(({ name, last }) => [name, last]),
  )
  expect(other.files.map(({ key, sha256 }) => [key, sha256]).sort()).toEqual(
    manifest.files.map(({ key, sha256 }) => [key, sha256]).sort(),
  )
}

test('a restore refuses a database in use, and --force puts the backup in its place; sessions end', async () => {
  const file = path.join(folder, 'small.tar')
  const ended = service.guest()
  await ended.login('root')
  await ended.post('/api/v01/auth/logout', { refresh_token: ended.refreshToken }, 200)
  expect((await runAdmin(['backup', '--to', file], environment())).code).toBe(0)
  const manifest = await checkBackup({ path: file }, quiet)
  const refused = await runAdmin(['restore', '--from', file], environment())
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') })

  const late = await service.person('latecomer')
  expect((await runAdmin(['restore', '--from', file, '--force'], environment())).code).toBe(0)
  const again = await writeBackup(
    { databaseUrl: service.databaseUrl, files: filesOf(service.dataDir) },
    { path: path.join(folder, 'forced.tar') },
    quiet,
  )
  expect(contents(again)).toEqual(contents(manifest))
  // The running node finds out at its next poll.
  for (const gone of [late, admin])
    await expect.poll(async () => (await gone.get('/api/v01/auth/me')).status).toBe(401)
  // Also those that had ended before: a node that starts now knows only what is stored.
  const node = await startProcess({ ...environment(), JWT_SECRET: SECRET }).ready()
  await admin.login('root')
  await admin.at(node).get('/api/v01/auth/me', 200)
  await ended.at(node).get('/api/v01/auth/me', 401)
  await late.post('/api/v01/auth/login', { username: 'latecomer', password: 'a password of the tests' }, 401)
}, 180_000)

test('a restore goes on where a node that runs waits for it and it for the node', async () => {
  const file = path.join(folder, 'beside.tar')
  expect(await runAdmin(['backup', '--to', file], environment())).toMatchObject({ code: 0 })
  const other = postgres(service.databaseUrl, { max: 1 })
  onTestFinished(() => other.end())
  // It is the restore that notices.
  const [{ name = '' } = {}] = await service.sql<{ name: string }[]>`select current_database() as name`
  await service.sql`alter database ${service.sql(name)} set deadlock_timeout = '5s'`
  const { running } = await other.begin(async (tx) => {
    await tx`set local deadlock_timeout = '1min'`
    await tx`select from users limit 1`
    const running = runAdmin(['restore', '--from', file, '--force'], environment())
    // A table that it has locked while it waits for that one.
    const listLocked = () => service.sql<{ name: string }[]>`
      select held.relation::regclass::text as name
        from pg_locks held join pg_locks wanted using (pid) join pg_stat_activity using (pid)
       where held.granted and held.mode = 'AccessExclusiveLock' and held.relation is not null
         and not wanted.granted and wanted.relation = 'users'::regclass
         and held.relation in (select oid from pg_class where relkind = 'r')
         and application_name = 'exam-practice backup' limit 1`
    await expect.poll(listLocked).toHaveLength(1)
    const [locked] = await listLocked()
    await tx`select from ${tx(locked?.name ?? '')} limit 1`
    return { running }
  })
  await service.sql`alter database ${service.sql(name)} reset deadlock_timeout`
  expect(await running).toMatchObject({ code: 0 })
  await admin.login('root')
}, 60_000)

test('materials come back with their files and their passages; what was being read then says so', async () => {
  const classId = await createClass(service.sql, { teachers: [admin] })
  const at = `/api/v01/classes/${classId}/materials` as const
  const script = { field: 'file', name: 'script.txt', bytes: 'Entropy never falls.' }
  const { id, url } = (await admin.request('POST', at, form({}, script), 201)).body.material
  await expect.poll(async () => (await admin.get(`${at}/${id}`, 200)).body.material.status).toBe('ready')
  await service.sql`
    insert into materials (class_id, title, type, size, file_key)
    select class_id, 'Unread', type, size, 'Attachments/none' from materials where id = ${id}`
  const file = path.join(folder, 'materials.tar')
  expect((await runAdmin(['backup', '--to', file], environment())).code).toBe(0)
  const place = await newPlace()
  expect((await runAdmin(['restore', '--from', file], place)).code).toBe(0)
  const there = admin.at(await startProcess({ ...place, DEMO: 'off', JWT_SECRET: SECRET }).ready())
  await there.login('root')
  expect((await there.get(at, 200)).body.materials).toMatchObject([
    { title: 'Unread', status: 'failed', error: 'The service was restored from a backup' },
    { title: 'script.txt', status: 'ready', pages: 1 },
  ])
  const [, restored] = (await there.get(at, 200)).body.materials
  expect(await (await there.fetch('GET', restored?.url ?? url)).text()).toBe('Entropy never falls.')
  const found = (await there.get(`${at}/search?q=entropy` as `${typeof at}/search`, 200))
    .body as PassagesAnswer
  expect(found.passages).toMatchObject([{ material_id: id, text: 'Entropy never falls.', matches: [[0, 7]] }])
  // Backups of other tests are compared with what they restore.
  await service.sql`delete from materials where title = 'Unread'`
}, 180_000)

test('a restore into a new database voids what was signed in after the backup, and its account goes to nobody else', async () => {
  const file = path.join(folder, 'earlier.tar')
  expect((await runAdmin(['backup', '--to', file], environment())).code).toBe(0)
  // Then the database is lost.
  const lost = [await service.person(), await service.person(), await service.admin()]
  const place = await newPlace()
  expect((await runAdmin(['restore', '--from', file], place)).code).toBe(0)
  const node = startProcess({ ...place, DEMO: 'off', JWT_SECRET: SECRET })
  const url = await node.ready()
  const after = service.guest().at(url)
  await after.register('newcomer')
  expect(lost.map(({ id }) => id)).toContain(after.id)
  await after.get('/api/v01/auth/me', 200)
  for (const gone of lost) {
    await gone.at(url).get('/api/v01/auth/me', 401)
    await gone.at(url).post('/api/v01/auth/refresh', { refresh_token: gone.refreshToken }, 401)
  }
  expect(await node.exit('SIGTERM')).toBe(0)
}, 180_000)

test('an encrypted backup says nothing without its passphrase, and comes back with it', async () => {
  const file = path.join(folder, 'sealed.tar.age')
  const passphrase = PASSPHRASE
  const short = await runAdmin(['backup', '--to', file, '--encrypt'], environment(), 'too short\n')
  expect(short).toMatchObject({ code: 1, stderr: expect.stringContaining('at least 12 characters') })
  const taken = await runAdmin(['backup', '--to', file, '--encrypt'], environment(), `${passphrase}\n`)
  expect(taken).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Hashes') })
  const sealed = await readFile(file)
  expect(sealed.subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  for (const text of ['root@example.org', '$argon2', 'manifest.json'])
    expect(sealed.includes(text)).toBe(false)
  const manifest = await checkBackup({ path: file, passphrase }, quiet)

  const place = await newPlace()
  const damaged = Buffer.from(sealed)
  damaged.writeUInt8(damaged.readUInt8(sealed.length - 100) ^ 1, sealed.length - 100)
  await writeFile(`${file}.damaged`, damaged)
  for (const [from, line, problem] of [
    [file, 'another horse battery staple', 'wrong passphrase'],
    [file, '', 'wrong passphrase'],
    [`${file}.damaged`, passphrase, 'is damaged or cut off'],
  ] as const) {
    const refused = await runAdmin(['restore', '--from', from], place, `${line}\n`)
    expect(refused, `${from} with ${line}`).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(problem),
    })
    expect(refused.stderr.match(/wrong passphrase|damaged or cut off/g), from).toEqual([
      problem.replace('is ', ''),
    ])
  }
  expect(await runAdmin(['restore', '--from', file], place, `${passphrase}\n`)).toMatchObject({ code: 0 })
  const again = path.join(folder, 'opened.tar')
  expect((await runAdmin(['backup', '--to', again], place)).code).toBe(0)
  await expectSame(again, manifest)
}, 180_000)

test('a backup that GNU tar packed again, in another order, and that age wrote as text, is read', async () => {
  await createExam(service.sql, { questions: [{}, {}] })
  const here = { databaseUrl: service.databaseUrl, files: filesOf(service.dataDir) }
  const [first, repacked] = [path.join(folder, 'first.tar'), path.join(folder, 'repacked.tar')]
  const manifest = await writeBackup(here, { path: first }, quiet)
  await repack(first, repacked, (names) => names.toReversed())
  const encrypter = new Encrypter()
  encrypter.setPassphrase(PASSPHRASE)
  encrypter.setScryptWorkFactor(12)
  const text = armor.encode(await encrypter.encrypt(await readFile(repacked)))
  const sealed = { path: `${repacked}.age`, passphrase: PASSPHRASE }
  // As it comes by mail, from Windows.
  await writeFile(sealed.path, text.replaceAll('\n', '\r\n'))
  expect(await isEncrypted(sealed.path)).toBe(true)
  expect(await checkBackup(sealed, quiet)).toEqual(manifest)

  const place = await newPlace()
  const there = { databaseUrl: place.DATABASE_URL, files: filesOf(place.DATA_DIR) }
  await restoreBackup(there, sealed, manifest, quiet)
  const again = await writeBackup(there, { path: path.join(folder, 'after-tar.tar') }, quiet)
  expect(again.tables).toEqual(manifest.tables)
  const sql = postgres(place.DATABASE_URL, { max: 1 })
  onTestFinished(() => sql.end())
  const keysOf = async (one: postgres.Sql) => [
    ...(await one`
      select conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) from pg_constraint
       where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`),
  ]
  expect(await keysOf(sql)).toEqual(await keysOf(service.sql))

  const check = async (bytes: string | Buffer, passphrase = PASSPHRASE) => {
    const broken = `${repacked}.broken.age`
    await writeFile(broken, bytes)
    return checkBackup({ path: broken, passphrase }, quiet)
  }
  await expect(check(text, 'another horse battery staple')).rejects.toThrow('wrong passphrase')
  for (const length of [text.length - 20, text.length / 2, 200])
    await expect(check(text.slice(0, length)), `${length} characters`).rejects.toThrow(
      'is damaged or cut off',
    )
  const doubled = path.join(folder, 'doubled.tar')
  await repack(first, doubled, (names) => [...names, './manifest.json'])
  await expect(checkBackup({ path: doubled }, quiet)).rejects.toThrow('has manifest.json twice')
})

/** Unpacks a tar and packs it again by GNU tar, as `tar c .` does: with folders, and names that begin with a dot. */
async function repack(from: string, to: string, order: (names: string[]) => string[]): Promise<void> {
  const run = promisify(execFile)
  const unpacked = await mkdtemp(path.join(folder, 'unpacked-'))
  await run('tar', ['-x', '-f', from, '-C', unpacked])
  const { stdout } = await run('find', ['.'], { cwd: unpacked })
  const names = order(stdout.trim().split('\n'))
  await writeFile(`${to}.names`, names.join('\n'))
  await run('tar', [
    '-c',
    '-f',
    to,
    '-C',
    unpacked,
    '--no-recursion',
    '--hard-dereference',
    '-T',
    `${to}.names`,
  ])
}

test('a damaged, truncated or foreign file is refused, and nothing is changed', async () => {
  const file = path.join(folder, 'whole.tar')
  expect((await runAdmin(['backup', '--to', file], environment())).code).toBe(0)
  const whole = await readFile(file)
  const place = await newPlace()
  const [migration = ''] = (await checkBackup({ path: file }, quiet)).migrations
  const attempts: [string, Buffer, string][] = [
    ['cut', whole.subarray(0, whole.length / 2), 'damaged or cut off|no whole backup'],
    ['foreign', Buffer.from('hello'), 'damaged or cut off|no whole backup'],
    ['damaged', damage(whole, 'root@example.org', 'r00t@example.org'), 'damaged'],
    ['of other tables', damage(whole, '{"name":"class_mails"', '{"name":"revocations"'), 'no backup has'],
    ['of another form', damage(whole, '{"form":1', '{"form":7'), 'form'],
    [
      'of another version',
      damage(whole, migration, '0'.repeat(migration.length)),
      'the version that took it',
    ],
  ]
  for (const [name, bytes, message] of attempts) {
    const broken = path.join(folder, 'broken.tar')
    await writeFile(broken, bytes)
    const { code, stderr } = await runAdmin(['restore', '--from', broken], place)
    expect(code, name).toBe(1)
    expect(stderr, name).toMatch(new RegExp(message))
  }
  const sql = postgres(place.DATABASE_URL, { max: 1 })
  onTestFinished(() => sql.end())
  expect(await sql`select from users`).toHaveLength(1)
  expect(await runAdmin(['restore'], place)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--from'),
  })
  expect(await runAdmin(['backup', '--to', path.join(folder, 'no', 'such', 'folder')], place)).toMatchObject({
    code: 1,
  })
}, 180_000)

test('files in a bucket are backed up, and restored into another bucket or onto a disk', async () => {
  const bucket = await LoopbackS3.start()
  onTestFinished(() => bucket.close())
  const inBucket = (name: string) => ({
    STORAGE_URL: `s3://${name}?endpoint=${encodeURIComponent(bucket.endpoint)}&region=us-east-1`,
    AWS_ACCESS_KEY_ID: bucket.accessKeyId,
    AWS_SECRET_ACCESS_KEY: bucket.secretAccessKey,
  })
  const keys = Array.from({ length: 5 }, (_, index) => `Physics/ü & ${index}.png`)
  for (const [index, key] of keys.entries())
    bucket.objects.set(`/one/${key}`, { bytes: Buffer.alloc(1_000 * index, index), contentType: 'image/png' })
  const file = path.join(folder, 'bucket.tar')
  const place = await newPlace()
  expect(await runAdmin(['backup', '--to', file], { ...environment(), ...inBucket('one') })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('5 files'),
  })
  const { code } = await runAdmin(['restore', '--from', file], { ...place, ...inBucket('two') })
  expect(code).toBe(0)
  for (const key of keys) expect(bucket.objects.get(`/two/${key}`)).toEqual(bucket.objects.get(`/one/${key}`))

  const disk = await newPlace()
  expect((await runAdmin(['restore', '--from', file], disk)).code).toBe(0)
  for (const key of keys)
    expect((await filesOf(disk.DATA_DIR).get(key))?.bytes).toEqual(bucket.objects.get(`/one/${key}`)?.bytes)

  bucket.failing = 500
  const failed = path.join(folder, 'failed.tar')
  expect((await runAdmin(['backup', '--to', failed], { ...environment(), ...inBucket('one') })).code).toBe(1)
  await expect(stat(failed)).rejects.toThrow()
  await expect(stat(`${failed}.partial`)).rejects.toThrow()
})

test('on a terminal the command shows its progress, and asks before it empties a database', async () => {
  const file = path.join(folder, 'terminal.tar')
  const { examId } = await createExam(service.sql)
  const [job] = await service.sql`
    insert into generation_jobs (exam_id, request, message, last_event, total_batches)
    values (${examId}, '{}', '', '', 1) returning id`
  await service.sql`
    insert into assistant_questions (user_id, conversation_id, asked_at, expires_at)
    values (${admin.id}, 1, now(), now() + interval '1 minute')`
  const taken = await onTerminal(['backup', '--to', file], environment(), '')
  expect(taken).toMatchObject({ code: 0, stderr: expect.stringContaining('\r\x1b[Kusers: ') })
  const late = await service.person()
  const restore = ['restore', '--from', file, '--force']
  for (const answer of ['no\n', '']) {
    const { code, stderr } = await onTerminal(restore, environment(), answer)
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('Type yes') })
    expect(stderr).toContain('nothing was changed')
    await late.get('/api/v01/auth/me', 200)
  }
  const done = await onTerminal(restore, environment(), 'yes\n')
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('restoring users') })
  expect(await service.sql`select from users where id = ${late.id}`).toHaveLength(0)
  // Jobs and questions that were being worked on when the backup was taken have ended.
  expect(await service.sql`select status from generation_jobs where id = ${job?.id}`).toEqual([
    { status: 'failed' },
  ])
  expect(await service.sql`select from assistant_questions`).toHaveLength(0)
  await admin.login('root')

  /** Runs the command as on a terminal at which somebody types this. */
  async function onTerminal(args: string[], env: Record<string, string>, typed: string) {
    const terminal = 'for (const end of ["stdin", "stdout", "stderr"]) process[end].isTTY = true'
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(terminal)}`]
    const command = adminCommand(args, env)
    const child = spawn(process.execPath, [...preload, ...command.program], { env: command.env })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    child.stdin.end(typed)
    // Its output may come after its exit.
    const [code] = await once(child, 'close')
    return { code, stderr }
  }
})

test('no file is deleted while a backup runs', async () => {
  const image = { field: 'image', name: 'a.png', bytes: await makeImage() }
  const made = await admin.request('POST', '/api/v01/admin/categories', form({ name: 'Kept' }, image), 201)
  const { id, drive_file_id } = made.body.category
  const key = String(drive_file_id)
  const backup = postgres(service.databaseUrl, { max: 1 })
  onTestFinished(() => backup.end())
  await backup.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock_shared(hashtextextended('files', 0))`
    await admin.delete(`/api/v01/admin/categories/${id}`, 200)
    expect(await filesOf(service.dataDir).get(key)).toBeDefined()
  })
  const other = await admin.request('POST', '/api/v01/admin/categories', form({ name: 'Next' }, image), 201)
  await admin.delete(`/api/v01/admin/categories/${other.body.category.id}`, 200)
  await expect.poll(() => filesOf(service.dataDir).get(key)).toBeUndefined()
})

function damage(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(from)
  expect(at).toBeGreaterThan(0)
  const changed = Buffer.from(bytes)
  changed.write(to, at)
  return changed
}
