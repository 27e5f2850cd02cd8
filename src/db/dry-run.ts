import type { Db, Executor } from './database-client.ts'

/** Thrown to undo a dry run, with what it answers. */
class Undone extends Error {
  readonly answer: unknown
  constructor(answer: unknown) {
    super('a dry run')
    this.answer = answer
  }
}

/** Does the work in one transaction, which is undone at its end if this is only a try: the answer is the same. */
export async function tryOrCommit<T>(
  db: Db,
  isDryRun: boolean,
  work: (tx: Executor) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction(async (tx) => {
      const answer = await work(tx)
      if (isDryRun) throw new Undone(answer)
      return answer
    })
  } catch (error) {
    if (error instanceof Undone) return error.answer as T
    throw error
  }
}
