import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../../src/db/embedded/embedded-server.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { hasRedis, RedisServer } from '../outside/redis.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The database server's maintenance database. */
    adminUrl: string
    /** A migrated database, cloned for each test file. */
    template: string
    /** undefined if there is no Redis: the suites that need it are skipped and say so. */
    redisUrl: string | undefined
  }
}

const quiet = { info() {}, warn: console.warn, error: console.error }

/** Provides one PostgreSQL (DATABASE_URL or embedded) and one Redis (REDIS_URL or private) for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env.TMPDIR = await fastTemporaryFolder()
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-test-'))
  // For root, PostgreSQL runs as another user, who must be able to read the folder.
  await chmod(dataDir, 0o755)
  const given = process.env.DATABASE_URL
  const embedded = given ? undefined : await startEmbedded({ dataDir, log: quiet })
  const adminUrl = given ?? embedded?.url ?? ''
  const template = `exam_template_${process.pid}`

  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} })
  if (embedded) {
    // The data isn't needed after the tests; tests of durability start their own servers.
    await admin.unsafe('alter system set fsync = off')
    await admin.unsafe('select pg_reload_conf()')
  }
  await admin.unsafe(`create database ${template}`)
  const templateUrl = new URL(adminUrl)
  templateUrl.pathname = `/${template}`
  await migrate(templateUrl.href, quiet)

  const redis = process.env.REDIS_URL || !hasRedis() ? undefined : await RedisServer.start()
  const redisUrl = process.env.REDIS_URL ?? redis?.url
  process.stdout.write(
    `tests on ${given ? 'the PostgreSQL of DATABASE_URL' : 'an embedded PostgreSQL'}, ` +
      `${redisUrl ? `Redis at ${redisUrl}` : 'without Redis: install redis-server or set REDIS_URL for its suites'}\n` +
      'the files that take longest begin first, so that the first results may come after a minute\n',
  )
  project.provide('adminUrl', adminUrl)
  project.provide('template', template)
  project.provide('redisUrl', redisUrl)

  return async () => {
    await admin.unsafe(`drop database ${template} with (force)`)
    // What the workers left: services that their files shared.
    for (const { datname } of await admin`select datname from pg_database where datname ^@ ${`${template}_`}`)
      await admin.unsafe(`drop database ${datname} with (force)`)
    await admin.end()
    await redis?.stop()
    await embedded?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * In memory, where there is room. Each of some 270 databases has 400 files, and making and removing them on a disk
 * takes a quarter of the processor time of the whole suite. The workers inherit it, for what they store.
 */
async function fastTemporaryFolder(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > 4 * 1024 ** 3 ? memory : tmpdir()
}
