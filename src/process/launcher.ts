import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isAlive } from '../processes.ts'

const LOOK_MS = 500

/**
 * Calls `gone` when the npm that started this process has ended. If npm is killed, at most the shell in between ends
 * with it, and the service would go on running with its port and data. Does nothing if there is no `ps`.
 */
export async function watchNpm(gone: () => void): Promise<void> {
  const parent = process.ppid
  const npm = await findNpm(parent).catch(() => undefined)
  if (npm === undefined) return
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(npm)) return
    clearInterval(timer)
    gone()
  }, LOOK_MS).unref()
}

/** npm runs a script in a shell; some shells replace themselves by the script's process. */
async function findNpm(parent: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=,args=', '-p', String(parent)])
  const [, grandparent, args = ''] = /^\s*(\d+)\s+(.*)/.exec(stdout) ?? []
  return /^\S*sh -c /.test(args) ? Number(grandparent) : parent
}
