import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Client } from './support/client.ts'
import { freePort } from './support/outside/ports.ts'
import { RedisServer } from './support/outside/redis.ts'
import { runAdmin, startProcess } from './support/processes/process.ts'
import { createDatabase } from './support/service.ts'

// Some tests start a whole service twice, while other test files do so as well.
vi.setConfig({ testTimeout: 120_000 })

async function freshDataDir(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam practice '))
  await chmod(dataDir, 0o755)
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  return dataDir
}

test('in an empty folder the service starts, prints what to open, and exits with 0 on SIGTERM', async () => {
  const dataDir = await freshDataDir()
  const service = startProcess({ DATA_DIR: dataDir })
  const address = await service.ready()
  const alice = await Client.guest(address)
  await alice.login('alice', 'practice-demo')
  expect((await alice.get('/readyz', 200)).body).toMatchObject({ database: 'up', bus: 'up' })
  expect(service.output).toContain(`${address}/docs`)
  expect(service.output).toContain('alice, bob or admin, password practice-demo')
  expect((await stat(path.join(dataDir, 'jwt-secret'))).mode & 0o077).toBe(0)
  // Others don't look into it; PostgreSQL's own user passes, where root starts the service.
  expect((await stat(dataDir)).mode & 0o066).toBe(0)

  const second = startProcess({ DATA_DIR: dataDir })
  expect(await second.exit()).toBe(1)
  expect(second.output).toContain(`${dataDir} is in use by another service (pid ${service.child.pid})`)
  await alice.get('/healthz', 200)

  const { port } = new URL(address)
  const third = startProcess({ DATA_DIR: await freshDataDir(), PORT: port })
  expect(await third.exit()).toBe(1)
  expect(third.output).toContain(`another program listens on port ${port}: choose one, as in PORT=`)
  expect(third.output).not.toContain('failed')
  expect(await service.exit('SIGTERM')).toBe(0)
})

test('a secret that was not written whole is refused, with what to do', async () => {
  const [dataDir, database] = [await freshDataDir(), await createDatabase()]
  onTestFinished(() => database.drop())
  const file = path.join(dataDir, 'jwt-secret')
  await writeFile(file, 'cut off')
  const service = startProcess({ DATA_DIR: dataDir, DATABASE_URL: database.url })
  expect(await service.exit()).toBe(1)
  expect(service.output).toContain(`${file} is empty or cut off: delete it`)
})

test('demo accounts where others reach the service are said loudly at the start', async () => {
  const service = startProcess({
    DATA_DIR: await freshDataDir(),
    PUBLIC_URL: 'https://exams.school.example',
    DEMO: 'on',
  })
  await service.ready()
  expect(service.output).toContain(
    'DEMO=on: anybody who reaches this service can be its administrator, with practice-demo',
  )
})

test('the example that listens asks the service at PORT, and prints what it pushes', async () => {
  const service = startProcess({ DATA_DIR: await freshDataDir() })
  const { port } = new URL(await service.ready())
  const { PATH = '', HOME = '' } = process.env
  const example = spawn(process.execPath, ['examples/listen.ts', 'alice'], {
    env: { PATH, HOME, PORT: port },
  })
  onTestFinished(() => void example.kill())
  let output = ''
  for (const stream of [example.stdout, example.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  await expect.poll(() => output).toContain('"type":"ready"')
})

test('with the school’s sign-in alone, a start says how to make the first administrator, who can sign in then', async () => {
  const env = {
    DATA_DIR: await freshDataDir(),
    OIDC_ISSUER: 'https://id.school.example',
    OIDC_CLIENT_ID: 'exams',
    OIDC_ONLY: 'true',
    PUBLIC_URL: 'https://exams.school.example',
  }
  const refused = startProcess(env)
  expect(await refused.exit()).toBe(1)
  expect(refused.output).toContain(
    'OIDC_ONLY: needs an administrator with a password: npm run admin -- create --username … --email …',
  )
  const made = await runAdmin(['create', '--username', 'ada', '--email', 'ada@school.example'], env)
  const service = startProcess(env)
  const ada = await Client.guest(await service.ready())
  await ada.login('ada', /Password: (\S+)/.exec(made.stdout)?.[1])
  await ada.get('/api/v01/admin/users', 200)
  // Others reach it, so somebody will wait for a mail.
  expect(service.output).toContain('without SMTP_URL nobody gets mails')
})

test('after a kill the next start has all data, and tokens stay valid', async () => {
  const dataDir = await freshDataDir()
  const first = startProcess({ DATA_DIR: dataDir })
  const carol = await Client.guest(await first.ready())
  await carol.register('carol')
  expect(await first.exit('SIGKILL')).toBe('SIGKILL')

  const next = startProcess({ DATA_DIR: dataDir })
  const me = await carol.at(await next.ready()).get('/api/v01/auth/me', 200)
  expect(me.body).toMatchObject({ data: { username: 'carol', email: 'carol@example.org' } })
})

test('1,000 connections can be opened while the service is busy', async () => {
  const service = startProcess({ DATA_DIR: await freshDataDir() })
  const { port, hostname } = new URL(await service.ready())
  service.child.kill('SIGSTOP')
  let connected = 0
  const sockets = Array.from({ length: 1_000 }, () =>
    connect({ host: hostname, port: Number(port) }, () => {
      connected += 1
    }),
  )
  await expect.poll(() => connected).toBe(1_000)
  service.child.kill('SIGCONT')
  for (const socket of sockets) socket.destroy()
  expect(await service.exit('SIGTERM')).toBe(0)
})

test('all wrong settings are named together', async () => {
  const service = startProcess({
    PORT: '70000',
    APP_TIMEZONE: 'Mars/Olympus',
    JWT_SECRET: 'short',
    DEMO: 'maybe',
    DATABASE_URL: 'mysql://nowhere',
    LOG_LEVEL: 'loud',
    PUBLIC_URL: 'http://',
    TRUST_PROXY: '127.0.0.1, yes',
    STORAGE_URL: 's3://my bucket',
    REDIS_URL: 'one',
    RATE_LIMIT: '0',
    DRAIN_DELAY: 'long',
    DATABASE_POOL: '0',
  })
  expect(await service.exit()).toBe(1)
  const given = ['PORT', 'APP_TIMEZONE', 'JWT_SECRET', 'DEMO', 'DATABASE_URL', 'LOG_LEVEL']
  const more = [
    'PUBLIC_URL',
    'TRUST_PROXY',
    'STORAGE_URL',
    'REDIS_URL',
    'RATE_LIMIT',
    'DRAIN_DELAY',
    'DATABASE_POOL',
  ]
  for (const name of [...given, ...more]) expect(service.output).toContain(`  ${name}: `)
  expect(service.output).not.toContain('    at ')
})

test('an unreachable database is reported plainly', async () => {
  const service = startProcess({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    DATA_DIR: await freshDataDir(),
  })
  expect(await service.exit()).toBe(1)
  expect(service.output).toMatch(/could not start: .*ECONNREFUSED/)
})

test('a start that can’t go on says in one line which setting it is, and what to write', async () => {
  const redis = await RedisServer.start(['--requirepass', 'the right one'])
  onTestFinished(() => redis.stop())
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const { host } = new URL(redis.url)
  const starts: [Record<string, string>, string][] = [
    [{ HOST: '192.0.2.1' }, 'HOST: 192.0.2.1 is no address of this machine'],
    [{ REDIS_URL: `redis://:wrong@${host}` }, 'REDIS_URL: Redis refuses its user or password'],
    [{ REDIS_URL: `redis://${host}` }, 'REDIS_URL: Redis refuses its user or password'],
    [
      { DATABASE_URL: `${database.url}?sslmode=verify-full` },
      'DATABASE_URL: its sslmode asks for TLS, and the server has none',
    ],
  ]
  await Promise.all(
    starts.map(async ([env, said]) => {
      const service = startProcess({
        DATABASE_URL: database.url,
        DATA_DIR: await freshDataDir(),
        REDISURL: 'x',
        ...env,
      })
      expect(await service.exit()).toBe(1)
      expect(service.output).toContain(`The service could not start: ${said}`)
      expect(service.output).toContain('REDISURL is no setting of the service')
      expect(service.output).not.toMatch(/\n {4}at |wrong/)
    }),
  )
})

test('a service that comes before its database waits for it', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const { hostname, port } = new URL(database.url)
  const url = new URL(database.url)
  url.port = String(await freePort())
  const service = startProcess({ DATABASE_URL: url.href, DATA_DIR: await freshDataDir() })
  await expect.poll(() => service.output).toContain("the database can't be reached, waiting for it")
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => {})
  }).listen(Number(url.port), '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await service.ready()
  expect(await service.exit('SIGTERM')).toBe(0)
})

test('a service whose first host has no TLS waits for the one that is starting', async () => {
  const answersNo = createServer((client) => {
    client.on('error', () => {}).once('data', () => client.end('N'))
  }).listen(0, '127.0.0.1')
  await once(answersNo, 'listening')
  onTestFinished(() => void answersNo.close())
  const { port } = answersNo.address() as AddressInfo
  const service = startProcess({
    DATABASE_URL: `postgres://exam@127.0.0.1:${port},127.0.0.1:${await freePort()}/exam?sslmode=require`,
    DATA_DIR: await freshDataDir(),
  })
  await expect.poll(() => service.output).toContain("the database can't be reached, waiting for it")
  await service.exit('SIGTERM')
})

test('no secret, token or message text reaches the log', async () => {
  const service = startProcess({ DATA_DIR: await freshDataDir(), LOG_LEVEL: 'trace' })
  const alice = await Client.guest(await service.ready())
  await alice.login('alice', 'practice-demo')
  await alice.post('/api/v01/auth/login', { username: 'alice', password: 'not-her-password' }, 401)
  const messages = '/api/v01/chat/conversations/1/messages'
  await alice.post(messages, { message: 'between the two of us' })
  await alice.post(messages, { message: 'between the two of us', reply_to_id: 9 })
  await service.exit('SIGTERM')

  const secrets = [alice.accessToken, alice.refreshToken, 'not-her-password', 'between the two of us']
  secrets.push(await readFile(path.join(service.dataDir, 'jwt-secret'), 'utf8'))
  const log = service.output.split('Sign in as')[0] + (service.output.split('ready at')[1] ?? '')
  for (const secret of secrets) expect(log).not.toContain(secret)
  expect(log).toContain('"path":"/api/v01/auth/login"')
})

test.each(['/dev/null/data', '/proc/none/data'])(
  'DATA_DIR %s, which can’t be written, is named at the start',
  async (folder) => {
    const service = startProcess({ DATA_DIR: folder })
    expect(await service.exit()).toBe(1)
    expect(service.output).toContain(`DATA_DIR: ${folder} cannot be written`)
    expect(service.output).not.toContain('    at ')
  },
)

test('the service ends with the npm that started it, even if npm is killed', async () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, PORT: '0', DATA_DIR: await freshDataDir() }
    const npm = spawn('npm', ['start'], { env, detached: true })
    let output = ''
    npm.stdout.on('data', (chunk) => {
      output += chunk
    })
    await expect.poll(() => output, { timeout: 50_000 }).toContain('ready at')
    const guest = await Client.guest(/ready at (http:[^"\s]+)/.exec(output)?.[1] as string)
    await guest.get('/healthz', 200)
    npm.kill(signal)
    const answers = () =>
      guest.get('/healthz').then(
        () => true,
        () => false,
      )
    await expect.poll(answers).toBe(false)
  }
})
