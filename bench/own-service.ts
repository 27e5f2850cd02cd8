import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import postgres from 'postgres'
import { createTokenSigner } from './tokens.ts'

const SECRET = 'a secret of the benchmarks that is long enough'

/** The service in its own process, with its own database on the server of DATABASE_URL. */
export async function startOwnService() {
  const given = process.env.DATABASE_URL
  if (!given) throw new Error('DATABASE_URL is not set')
  const name = `exam_bench_${process.pid}`
  const maintenance = postgres(given, { max: 1, onnotice: () => {} })
  await maintenance.unsafe(`create database ${name}`)
  const databaseUrl = new URL(given)
  databaseUrl.pathname = `/${name}`
  const dataDir = await mkdtemp(path.join(tmpdir(), 'exam-practice-bench-'))
  const server = spawn(process.execPath, ['src/main.ts'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl.href,
      DATA_DIR: dataDir,
      JWT_SECRET: SECRET,
      PORT: '0',
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let url = ''
  for await (const line of createInterface(server.stdout)) {
    url = /ready at (http:\S+?)"/.exec(line)?.[1] ?? ''
    if (url) break
  }
  if (!url) {
    await maintenance.unsafe(`drop database ${name} with (force)`)
    await maintenance.end()
    throw new Error('the service did not start')
  }
  server.stdout.resume()
  const sql = postgres(databaseUrl.href, { max: 1, onnotice: () => {} })
  const signToken = await createTokenSigner(SECRET)
  return {
    url,
    pid: server.pid as number,
    sql,
    /** Headers that sign requests in as a person with role `user,admin`, without a login. */
    headersOf: (userId: number) => ({
      authorization: `Bearer ${signToken({ userId, role: 'user,admin', sessionId: userId, generation: 0 })}`,
      'content-type': 'application/json',
    }),
    async close() {
      const exited = once(server, 'exit')
      server.kill()
      await exited
      await sql.end({ timeout: 1 })
      await maintenance.unsafe(`drop database ${name} with (force)`)
      await maintenance.end()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The milliseconds that `work` takes. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

export const show = (milliseconds: number) => milliseconds.toFixed(1).padStart(8)
