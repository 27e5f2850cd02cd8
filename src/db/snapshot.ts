import { type Pool, toPool } from './database-client.ts'

/**
 * Everything that `read` reads is from one instant. Two statements of the pool may see two states of the database, for
 * example a mark without the rule that hides it.
 */
export function inSnapshot<T>(db: Pool, read: (snapshot: Pool) => Promise<T>): Promise<T> {
  const reading = db.$client.begin(async (tx) => {
    await tx.unsafe('set transaction isolation level repeatable read, read only')
    return { result: await read(toPool(db.$client, tx)) }
  })
  return reading.then(({ result }) => result)
}
