import { existsSync } from 'node:fs'
import postgres from 'postgres'
import { expect, inject, onTestFinished, test } from 'vitest'
import { Client } from '../support/client.ts'
import { holdLocks } from '../support/locks.ts'
import { startTlsServer } from '../support/outside/tls-server.ts'
import { startProcess } from '../support/processes/process.ts'
import { createDatabase, SECRET, type TestDatabase } from '../support/service.ts'

/** Starts the service on this database; it needs nothing else from outside. */
const start = (url: string | URL) =>
  startProcess({
    DATABASE_URL: String(url),
    JWT_SECRET: SECRET,
    STORAGE_URL: 'file:///tmp',
    SMTP_URL: 'smtp://127.0.0.1:1',
  })

/** What a service prints that refuses to start on this database. */
async function refusal(url: string | URL): Promise<string> {
  const service = start(url)
  expect(await service.exit()).toBe(1)
  expect(service.output).not.toContain('    at ')
  return service.output
}

async function emptyDatabase(): Promise<{ database: TestDatabase; sql: postgres.Sql }> {
  const database = await createDatabase('template0')
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  return { database, sql }
}

test('with TLS, sslrootcert names the only authority that is trusted, for the job queue too', async () => {
  const { database } = await emptyDatabase()
  const url = new URL(database.url)
  const server = await startTlsServer(new URL(database.url))
  const { port, authority, stranger } = server
  url.host = `localhost:${port}`
  const withTls = (parameters: string) => `${url.href}?${parameters}`

  const byName = await startTlsServer(new URL(database.url), 'DNS:localhost')
  const withIp = (server: typeof byName) =>
    `${url.href.replace(url.host, `127.0.0.1:${server.port}`)}?sslmode=verify-full&sslrootcert=${server.authority}`
  const [unknown, missing, wrong, notThisAddress] = await Promise.all([
    refusal(withTls(`sslmode=verify-full&sslrootcert=${stranger}`)),
    refusal(withTls('sslmode=verify-full&sslrootcert=/nonexistent.pem')),
    refusal(withTls('sslmode=sometimes')),
    refusal(withIp(byName)),
  ])
  expect(notThisAddress).toMatch(/127\.0\.0\.1 is not in the cert/)
  expect(unknown).toMatch(/certificate|signature/)
  expect(missing).toContain("DATABASE_URL: sslrootcert=/nonexistent.pem can't be read")
  expect(wrong).toContain('DATABASE_URL: sslmode=sometimes is none of')

  const services = [
    'sslmode=require',
    `sslmode=verify-full&channel_binding=prefer&sslrootcert=${authority}`,
  ].map((parameters) => start(withTls(parameters)))
  services.push(start(withIp(server)))
  const { port: namedPort, authority: named } = byName
  const several = new URL(database.url)
  several.host = ''
  several.search = `host=127.0.0.1,localhost&port=1,${namedPort}&sslmode=verify-full`
  expect(await refusal(`${several}&sslrootcert=${stranger}`)).toMatch(/certificate|signature/)
  services.push(start(`${several}&sslrootcert=${named}`))
  const { host } = new URL(database.url)
  services.push(start(database.url.replace(host, `${host},127.0.0.1:1`)))
  for (const service of services) {
    const guest = await Client.guest(await service.ready())
    expect((await guest.get('/readyz', 200)).body).toMatchObject({ database: 'up' })
    expect(service.output).not.toContain('job queue failed')
  }
}, 240_000)

test('a password with a slash is said to need encoding, and no part of it is shown', async () => {
  const said = await refusal('postgres://exam:kept/secret@127.0.0.1:5432/exam')
  expect(said).toContain(
    'DATABASE_URL: in a user or password % is written %25, # %23, / %2F, ? %3F and @ %40',
  )
  expect(said).not.toMatch(/kept|secret/)
})

test('a service runs over a Unix socket, in a schema of its own beside another program’s tables', async () => {
  const { database, sql } = await emptyDatabase()
  await sql`create table users (id text)`
  expect(await refusal(database.url)).toMatch(
    /the database has tables of another program .*\(users\): give it a database of its own, or a schema/,
  )
  expect(await refusal(`${database.url}?search_path=exam`)).toContain('no schema of search_path exists')

  await sql`create schema exam`
  const [row] = await sql<{ folder: string; port: string }[]>`
    select split_part(current_setting('unix_socket_directories'), ',', 1) as folder, current_setting('port') as port`
  const { folder = '', port = '' } = row ?? {}
  const url = new URL(`${database.url}?search_path=exam,public`)
  if (existsSync(`${folder}/.s.PGSQL.${port}`)) {
    url.host = ''
    url.search += `&host=${folder}&port=${port}`
  }
  const carol = await Client.guest(await start(url).ready())
  await carol.register('carol')
  expect(await sql`select count(*)::int from exam.users where id > 0`).toEqual([{ count: 1 }])
  expect(await sql`select id from public.users`).toEqual([])
  expect(await refusal(`${database.url}?search_path=public`)).toMatch(/not in the schema public|already/)
})

test('a database of another program, or one that the service may not set up, is refused with the reason', async () => {
  const { database, sql } = await emptyDatabase()
  await sql`create schema drizzle`
  await sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('theirs', 1)`
  expect(await refusal(database.url)).toContain('holds the migrations of another program')

  const { database: other } = await emptyDatabase()
  const admin = postgres(inject('adminUrl'), { max: 1 })
  const role = `exam_stranger_${process.pid}`
  await admin.unsafe(`create role ${role} login password 'stranger'`)
  onTestFinished(async () => {
    await admin.unsafe(`drop role ${role}`)
    await admin.end()
  })
  const url = new URL(other.url)
  Object.assign(url, { username: role, password: 'stranger' })
  expect(await refusal(url)).toMatch(
    /permission denied for .*: make the service's user the owner of the database/,
  )
})

test('a node says that it waits while another one migrates', async () => {
  const { database, sql } = await emptyDatabase()
  const release = await holdLocks(
    sql,
    (tx) => tx`select pg_advisory_xact_lock(hashtextextended('migration', 0))`,
  )
  const service = start(database.url)
  await expect
    .poll(() => service.output)
    .toContain('another node is bringing the database up to date: waiting for it')
  await release()
  await service.ready()
})
