import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** Thrown where somebody else holds the lock; `holder` is their process id, where they wrote it down. */
export class LockedError extends Error {
  readonly holder: number | undefined

  constructor(path: string, holder: number | undefined) {
    super(`${path} is locked by process ${holder ?? '(unknown)'}`)
    this.holder = holder
  }
}

/** Keeps the connections from the garbage collector, which would close them and so drop their locks. */
const held = new Set<DatabaseSync>()

/**
 * Takes the lock, or throws a LockedError; of any number of simultaneous callers exactly one gets it.
 * Returns what releases it.
 *
 * The lock is the kernel's (fcntl, taken through SQLite, as Node has no call for it): it ends with its process,
 * however that dies, so there is nothing stale to judge, no reused pid to mistake, and two containers on one
 * volume exclude each other although both are pid 1. The pid file beside it only serves the message.
 *
 * Nothing else in this process may open `path`: closing any descriptor of a file drops fcntl locks.
 */
export async function takeLock(path: string): Promise<() => void> {
  const pidFile = `${path}.pid`
  const lock = new DatabaseSync(path, { open: false })
  try {
    lock.open()
    // IMMEDIATE, not EXCLUSIVE: of the latter a loser that looks in for a moment could make the winner fail.
    lock.exec('BEGIN IMMEDIATE')
    // Where SQLite may not write it quietly reads, and then locks nothing.
    accessSync(path, constants.W_OK)
    writeFileSync(pidFile, `${process.pid}\n`)
  } catch (error) {
    if (lock.isOpen) lock.close()
    if (isBusy(error)) throw new LockedError(path, await findHolder(pidFile))
    throw new Error(`${path} cannot be locked (does it belong to another user?)`, { cause: error })
  }
  held.add(lock)
  return () => {
    if (!held.delete(lock)) return
    rmSync(pidFile, { force: true })
    lock.close()
  }
}

const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

/** Waits a little, as the holder writes its pid just after it gets the lock: on a busy machine its turn may come late. */
async function findHolder(pidFile: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 120; attempt++) {
    try {
      const pid = Number(readFileSync(pidFile, 'utf8'))
      if (pid > 0 && isAlive(pid)) return pid
    } catch {
      // not written yet
    }
    await sleep(25)
  }
  return undefined
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
