import { readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/** Says what a built desk was built from. */
export const STAMP = 'built-from'

/** What the desk in this folder was built from; undefined if there is none. */
export function readStamp(folder: string): Promise<string | undefined> {
  return readFile(path.join(folder, STAMP), 'utf8').catch(() => undefined)
}

/**
 * Puts a built desk in the place of an older one. If another build of the same sources was faster, that one stays:
 * nodes may be serving it, and a page whose script is missing for a moment never opens.
 */
export async function replace(place: string, made: string): Promise<void> {
  if (await tryRename(made, place)) return
  if ((await readStamp(place)) === (await readStamp(made))) return
  const old = `${made}-old`
  await rename(place, old).catch(() => {})
  await tryRename(made, place)
  await rm(old, { recursive: true, force: true })
}

/** False if there is something in that place. */
async function tryRename(made: string, place: string): Promise<boolean> {
  try {
    await rename(made, place)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
