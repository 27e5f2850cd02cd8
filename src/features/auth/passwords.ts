import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { type Asker, FairQueue } from '../../fair-queue.ts'

/** OWASP's parameters for argon2id, the library's default algorithm; memory in KiB. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * One at a time for each core: more would only take threads from the rest of the service. The queue is as long as a
 * small machine can work off within a few seconds.
 */
const queue = new FairQueue({ places: availableParallelism(), waiting: 200 })

/** Waits for its turn; without `asker` the service itself asks. */
export function hashPassword(password: string, asker?: Asker): Promise<string> {
  return queue.run(asker, () => hash(password, OPTIONS))
}

/** Without a hash (an unknown account, or one without a password) it takes as long, and the answer is false. */
export async function verifyPassword(
  stored: string | null | undefined,
  password: string,
  asker: Asker,
): Promise<boolean> {
  const matches = await queue.run(asker, async () => verify(stored ?? (await absent), password))
  return matches && stored != null
}

/** A hash that no password matches, to take the same time. */
const absent = hash(crypto.randomUUID(), OPTIONS)
