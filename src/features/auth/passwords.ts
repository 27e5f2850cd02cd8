import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { type Asker, FairQueue } from '../../scheduling/fair-queue.ts'

/** OWASP's parameters for argon2id, the library's default algorithm; memory in KiB. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * One hash at a time per core: more would take threads from the rest of the service. The queue holds what a small
 * machine can work off within a few seconds.
 */
const queue = new FairQueue({ places: availableParallelism(), waiting: 200 })

/** Without `asker` it is the service itself that asks. */
export function hashPassword(password: string, asker?: Asker): Promise<string> {
  return queue.run(asker, () => hash(password, OPTIONS))
}

/** False without a stored hash: an unknown account, or one without a password. That takes as long as any check. */
export async function verifyPassword(
  stored: string | null | undefined,
  password: string,
  asker: Asker,
): Promise<boolean> {
  const matches = await queue.run(asker, async () => verify(stored ?? (await absent), password))
  return matches && stored != null
}

/** A hash that no password matches, for checks that must take the same time. */
const absent = hash(crypto.randomUUID(), OPTIONS)
