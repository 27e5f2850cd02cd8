import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'

/** OWASP's parameters for argon2id, the library's default algorithm; memory in KiB. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export function hashPassword(password: string): Promise<string> {
  return limited(() => hash(password, OPTIONS))
}

/** Without a hash (an unknown account, or one without a password) it takes as long and is false. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await limited(async () => verify(stored ?? (await absent), password))
  return matches && stored != null
}

/** A hash that no password matches in practice, to spend the same time on. */
const absent = hash(crypto.randomUUID(), OPTIONS)

let running = 0
const waiting: (() => void)[] = []

/** As many at once as there are cores: more would only take threads from the rest of the service. */
async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (running >= availableParallelism()) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await work()
  } finally {
    // The place goes straight to the next in line, if there is one.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
