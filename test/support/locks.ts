import type postgres from 'postgres'
import { onTestFinished } from 'vitest'

/**
 * Takes locks in a transaction of its own. Resolves once they are held, with what lets them go; the test's end does
 * so at the latest.
 */
export async function holdLocks(
  sql: postgres.Sql,
  take: (tx: postgres.TransactionSql) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const holding = sql.begin(async (tx) => {
    await take(tx)
    held.resolve()
    await letGo.promise
  })
  const release = async () => {
    letGo.resolve()
    await holding
  }
  onTestFinished(release)
  await Promise.race([held.promise, holding])
  return release
}
