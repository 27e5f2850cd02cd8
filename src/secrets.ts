import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The secret that this service signs with where none is set: made once, readable by its user alone. */
export async function loadGeneratedSecret(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'jwt-secret')
  await mkdir(dataDir, { recursive: true })
  try {
    await writeFile(file, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFile(file, 'utf8')
}
