import type { Db, Executor } from './client.ts'

/**
 * A transaction in one round trip: `begin`, these statements and `commit` are sent together. PostgreSQL runs them one
 * after another, each on what the ones before have locked and changed; if one fails, none has happened. Nothing can be
 * decided in between, so a statement that must not run without another one says so in its own SQL.
 */
export async function transactAtOnce<Results extends readonly unknown[]>(
  db: Db,
  ...statements: { [Index in keyof Results]: (tx: Executor) => PromiseLike<Results[Index]> }
): Promise<Results> {
  const answers: Promise<unknown>[] = []
  await db.transaction(async (tx) => {
    for (const send of statements) {
      const answer = Promise.resolve(send(tx))
      // Its failure is thrown below, once the transaction has been undone.
      answer.catch(() => {})
      answers.push(answer)
      // By then the driver has the statement: the next one, and at last `commit`, come behind it.
      await new Promise<void>(process.nextTick)
    }
  })
  return (await Promise.all(answers)) as unknown as Results
}
