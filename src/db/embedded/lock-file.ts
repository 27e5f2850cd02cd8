import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../../processes.ts'

/** Thrown if another process holds the lock; `holder` is its process id, if that is known. */
export class LockedError extends Error {
  readonly holder: number | undefined

  constructor(path: string, holder: number | undefined) {
    super(`${path} is locked by process ${holder ?? '(unknown)'}`)
    this.holder = holder
  }
}

/** References to the connections: the garbage collector would close them and so release their locks. */
const held = new Set<DatabaseSync>()

/**
 * Takes the lock, or throws a LockedError; of any number of simultaneous callers exactly one gets it. Returns a
 * function that releases it.
 *
 * The lock is one of the kernel (fcntl, taken through SQLite, because Node has no function for it). It always ends
 * with its process, so it can't be stale, and it also works between two containers on one volume, where both are pid
 * 1. The pid file beside it is only for the error message.
 *
 * Nothing else in this process may open `path`: closing any descriptor of a file releases its fcntl locks.
 */
export async function takeLock(path: string): Promise<() => void> {
  const pidFile = `${path}.pid`
  const lock = new DatabaseSync(path, { open: false })
  try {
    lock.open()
    // IMMEDIATE, not EXCLUSIVE: with the latter, a process that fails could make the winner fail too.
    lock.exec('BEGIN IMMEDIATE')
    // Without write permission SQLite opens the file for reading only, and locks nothing.
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

/** Waits a little, because the holder writes its pid after it has got the lock. */
async function findHolder(pidFile: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 120; attempt++) {
    try {
      const pid = Number(readFileSync(pidFile, 'utf8'))
      if (pid > 0 && isAlive(pid)) return pid
    } catch {
      // It is not written yet.
    }
    await sleep(25)
  }
  return undefined
}
