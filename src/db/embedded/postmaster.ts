import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export interface Postmaster {
  pid: number
  port: number
  /** It accepts connections: neither starting, nor recovering, nor stopping. */
  ready: boolean
}

/** The arguments that start PostgreSQL on this cluster, and by which `findPostmaster` knows it again. */
export function postmasterArguments(cluster: string, settings: Record<string, string | number>): string[] {
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** What postmaster.pid says, which a crash leaves behind: its process may be gone, or by now be another. */
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

/** Whether the process is a PostgreSQL server that was started on this cluster; a zombie has no command. */
export async function runsOn(pid: number, cluster: string): Promise<boolean> {
  return (await readCommand(pid)).includes(`postgres ${postmasterArguments(cluster, {}).join(' ')} -c`)
}

/** The command line of a process, '' for none. From /proc where there is one: small images have no ps. */
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
 * Shuts a server down: fast, and where that takes longer than `patience` milliseconds (it writes a checkpoint),
 * immediately, which costs the next start a recovery but loses nothing that was committed.
 */
export async function shutDown(
  pid: number,
  hasEnded: () => boolean | Promise<boolean>,
  patience = 10_000,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    signalIfAlive(pid, signal)
    for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(10)) {
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
