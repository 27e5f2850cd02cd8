import { drizzle } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import type { Db } from '../src/db/database-client.ts'
import { replaceMethods } from '../src/db/driver.ts'

/** The number by which PostgreSQL names its type. */
const TIMESTAMPTZ = 1184

export type Statement = Parameters<postgres.Sql['unsafe']>

/** A pool that notes what it is asked. */
export function recording(driver: postgres.Sql, asked: Statement[]): Db {
  const unsafe =
    (of: postgres.Sql | postgres.TransactionSql) =>
    (...statement: Statement) => {
      if (!statement[0].startsWith('set ')) asked.push(statement)
      return of.unsafe(...statement)
    }
  const client = replaceMethods(driver, {
    unsafe: unsafe(driver),
    begin: (work: (tx: postgres.TransactionSql) => unknown) =>
      driver.begin((tx) =>
        work(replaceMethods(tx, { unsafe: unsafe(tx) } as Partial<postgres.TransactionSql>)),
      ),
  } as Partial<postgres.Sql>)
  const pool = drizzle({ client, casing: 'snake_case' })
  // As in database-client.ts: drizzle leaves them texts.
  client.options.parsers[TIMESTAMPTZ] = (text: string) => new Date(text)
  return Object.assign(pool, { unprepared: pool })
}

/** Milliseconds of execution by EXPLAIN (analyze), added up. */
export async function execute(driver: postgres.Sql, statements: Statement[]): Promise<number> {
  let sum = 0
  for (const [text, values] of statements) {
    const [row] = await driver.unsafe(`explain (analyze, timing off, format json) ${text}`, values)
    sum += row?.['QUERY PLAN'][0]['Execution Time']
  }
  return sum
}
