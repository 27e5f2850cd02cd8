import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export interface Postmaster {
  pid: number
  port: number
  /** Whether it accepts connections: it is not starting, recovering or stopping. */
  ready: boolean
}

/** The arguments that start PostgreSQL on this cluster; `findPostmaster` recognises it by them. */
export function postmasterArguments(cluster: string, settings: Record<string, string | number>): string[] {
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** The content of postmaster.pid. A crash leaves the file behind, so the process may have ended, or be another one. */
export async function readPostmasterPid(cluster: string): Promise<Postmaster | undefined> {
  let text: string
  try {
    text = await readFile(join(cluster, 'postmaster.pid'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  // pid, folder, start time, port, socket folder, address, shared memory key, status
  const lines = text.split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

/** The PostgreSQL server that really runs on this cluster now. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const postmaster = await readPostmasterPid(cluster)
  return postmaster && (await runsOn(postmaster.pid, cluster)) ? postmaster : undefined
}

/** Whether the process is a PostgreSQL server of this cluster; false for a zombie, which has no command line. */
export async function runsOn(pid: number, cluster: string): Promise<boolean> {
  return (await readCommand(pid)).includes(`postgres ${postmasterArguments(cluster, {}).join(' ')} -c`)
}

/** The command line of a process; '' without one. Read from /proc if possible, because small images have no ps. */
async function readCommand(pid: number): Promise<string> {
  if (!(pid > 0)) return ''
  try {
    if (process.platform === 'linux') {
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    }
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout
  } catch {
    return ''
  }
}

/**
 * Shuts a server down in mode `fast`. If its checkpoint takes longer than `patienceMs`, in mode `immediate`:
 * the next start needs a recovery then, but nothing that was committed is lost.
 */
export async function shutDown(
  pid: number,
  hasEnded: () => boolean | Promise<boolean>,
  patienceMs = 10_000,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    signalIfAlive(pid, signal)
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(10)) {
      if (await hasEnded()) return
    }
  }
  throw new Error(`PostgreSQL (pid ${pid}) does not stop`)
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
