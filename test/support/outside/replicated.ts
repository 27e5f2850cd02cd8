import { execFile, execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './ports.ts'

/** Where PostgreSQL's own programs are, those for replication too; undefined where they aren't installed. */
export const POSTGRES_PROGRAMS = globSync('/usr/lib/postgresql/*/bin/pg_basebackup').map(path.dirname).at(-1)

/** A primary and its streaming standby. */
export interface Replicated {
  primaryPort: number
  standbyPort: number
  /** From now on a commit waits until the standby has it too. */
  makeSynchronous(): Promise<void>
  stopPrimary(): Promise<void>
  stopStandby(): Promise<void>
  promoteStandby(): Promise<void>
  close(): Promise<void>
}

export async function startReplicated(programs: string): Promise<Replicated> {
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-replicated-'))
  // PostgreSQL refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid)
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(path.join(programs, program), args, { cwd: folder, ...owner })
  const [primaryPort, standbyPort] = [await freePort(), await freePort()]
  const [primary, standby] = [path.join(folder, 'primary'), path.join(folder, 'standby')]
  const start = async (data: string, port: number) => {
    await appendFile(path.join(data, 'postgresql.conf'), `\nport = ${port}\n`)
    await run('pg_ctl', 'start', '-w', '-D', data, '-l', `${data}.log`)
  }
  const stop = (data: string) => run('pg_ctl', 'stop', '-w', '-m', 'immediate', '-D', data)

  await run('initdb', '-D', primary, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  const settings = `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nwal_level = replica\n`
  await appendFile(path.join(primary, 'postgresql.conf'), settings)
  await start(primary, primaryPort)
  const source = `host=127.0.0.1 port=${primaryPort} user=postgres`
  await run('pg_basebackup', '-d', source, '-D', standby, '-R', '-c', 'fast', '--no-sync')
  await start(standby, standbyPort)
  return {
    primaryPort,
    standbyPort,
    async makeSynchronous() {
      await appendFile(path.join(primary, 'postgresql.conf'), `\nsynchronous_standby_names = '*'\n`)
      await run('pg_ctl', 'reload', '-D', primary)
    },
    stopPrimary: async () => void (await stop(primary)),
    stopStandby: async () => void (await stop(standby)),
    promoteStandby: async () => void (await run('pg_ctl', 'promote', '-w', '-D', standby)),
    async close() {
      for (const data of [primary, standby]) await stop(data).catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres']).toString())
}
