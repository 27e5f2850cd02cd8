import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort, waitForPort } from './ports.ts'

/** PGBOUNCER=/path/to/pgbouncer chooses another program than the system's. */
const PROGRAM = process.env.PGBOUNCER ?? 'pgbouncer'

/** The minor version of PgBouncer 1; undefined if it isn't installed. */
export const pgbouncerVersion = findVersion()

function findVersion(): number | undefined {
  try {
    return Number(/ 1\.(\d+)/.exec(execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' }))?.[1])
  } catch {
    return undefined
  }
}

/** Starts a PgBouncer in transaction mode with few connections in front of `url`; answers the URL through it. */
export async function startPgbouncer(url: string, connections: number): Promise<string> {
  const { hostname, port, username, password } = new URL(url)
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-pgbouncer-'))
  const own = await freePort()
  const file = path.join(folder, 'pgbouncer.ini')
  const server = [
    `host=${hostname}`,
    `port=${port || 5432}`,
    `user=${username}`,
    password && `password=${decodeURIComponent(password)}`,
  ]
  await writeFile(
    file,
    [
      '[databases]',
      `* = ${server.filter(Boolean).join(' ')}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${own}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${connections}`,
      ...((pgbouncerVersion ?? 0) >= 21 ? ['max_prepared_statements = 200'] : []),
    ].join('\n'),
  )
  // It refuses to run as root.
  await chmod(folder, 0o755)
  const child = spawn(PROGRAM, [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  })
  await waitForPort(own)
  const through = new URL(url)
  through.host = `127.0.0.1:${own}`
  through.password = ''
  return through.href
}
