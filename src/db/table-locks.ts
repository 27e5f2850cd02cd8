import postgres from 'postgres'

const DEADLOCK = '40P01'
/** How often a running node may be in the way. */
const MOST_TRIES = 100

/**
 * Nobody else reads or writes these tables until the transaction ends. Nodes that run lock them in other orders: of two
 * that wait for one another PostgreSQL ends one. If it is this one, it lets go of all and begins again.
 */
export async function lockTables(tx: postgres.TransactionSql, names: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    const error = await tx
      .savepoint((inner) => inner`lock table ${inner(names)} in access exclusive mode`)
      .then(() => undefined)
      .catch((caught: unknown) => caught)
    if (error === undefined) return
    if (tries === MOST_TRIES || !(error instanceof postgres.PostgresError) || error.code !== DEADLOCK)
      throw error
  }
}
