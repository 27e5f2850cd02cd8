import { hkdfSync, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** As JWT_SECRET is required to have. */
const FEWEST_CHARACTERS = 32

/** The signing secret if none is configured: generated once, readable by the service's user only. */
export async function loadGeneratedSecret(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'jwt-secret')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  try {
    await writeFile(file, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const secret = await readFile(file, 'utf8')
  if (secret.length >= FEWEST_CHARACTERS) return secret
  // A full disk, or a machine that went off, at the first start.
  throw new Error(`${file} is empty or cut off: delete it, and the next start makes another one`)
}

/** The first one signs, all of them verify. */
export type DerivedKeys = readonly [signing: Buffer, ...older: Buffer[]]

/**
 * A key for one purpose, derived from each signing secret. Secrets are rotated by adding a new one in front: what the
 * older ones have signed stays valid.
 */
export function deriveKeys(secrets: readonly string[], purpose: string): DerivedKeys {
  const [signing, ...older] = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)),
  )
  if (signing === undefined) throw new Error('there is no secret to derive keys from')
  return [signing, ...older]
}
