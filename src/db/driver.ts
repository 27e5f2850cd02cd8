import type postgres from 'postgres'
import { database as measured } from '../telemetry/metrics.ts'
import { beginStatement } from '../telemetry/spans.ts'

/**
 * A statement with more parameters than this contains a list of varying length, so the same text hardly ever comes
 * again.
 */
const MOST_PREPARED_PARAMETERS = 40

type Unsafe = postgres.Sql['unsafe']
type TransactionBody = (tx: postgres.TransactionSql) => unknown

export interface DriverOptions {
  /** Most connections of the pool. */
  pool: number
  /** Whether statements are prepared: each connection then parses and plans a text once. */
  prepare: boolean
}

/**
 * The driver as drizzle uses it, which prepares no statement and measures nothing: both are decided here, for every
 * statement and every transaction. PostgreSQL plans a prepared statement again after it has analysed the tables.
 */
export function wrapDriver(driver: postgres.Sql, { pool, prepare }: DriverOptions): postgres.Sql {
  const decide = (unsafe: Unsafe): Unsafe => (prepare ? preparing(unsafe) : unsafe)
  const unsafe = decide(driver.unsafe)
  const use = { pool, underWay: 0 }
  return replaceMethods(driver, {
    unsafe: (text, ...rest) => measure(use, text, unsafe(text, ...rest)),
    begin: (work: TransactionBody) =>
      measure(
        use,
        'transaction',
        driver.begin((tx) => work(wrapTransaction(tx, decide))),
      ),
  } as Partial<postgres.Sql>)
}

function wrapTransaction(
  tx: postgres.TransactionSql,
  decide: (unsafe: Unsafe) => Unsafe,
): postgres.TransactionSql {
  return replaceMethods(tx, {
    unsafe: decide(tx.unsafe),
    savepoint: (work: TransactionBody) => tx.savepoint((part) => work(wrapTransaction(part, decide))),
  } as Partial<postgres.TransactionSql>)
}

function preparing(unsafe: Unsafe): Unsafe {
  return (text, parameters = [], options = {}) =>
    unsafe(text, parameters, {
      ...options,
      prepare: parameters.length > 0 && parameters.length <= MOST_PREPARED_PARAMETERS,
    })
}

/** A copy of a driver or transaction in which `methods` take the place of its own. */
export function replaceMethods<Driver extends (...args: never[]) => unknown>(
  driver: Driver,
  methods: Partial<Driver>,
): Driver {
  return Object.assign((...args: never[]) => driver(...args), driver, methods) as unknown as Driver
}

interface Use {
  /** Most connections. */
  pool: number
  underWay: number
}

/** Counts work that needs a connection until it ends: the driver doesn't say how much waits for one. */
function measure<Result extends Promise<unknown>>(use: Use, text: string, work: Result): Result {
  const span = beginStatement(text)
  if (use.underWay >= use.pool) measured.waits.inc()
  use.underWay += 1
  measured.underWay.inc()
  const end = (failed: boolean) => {
    use.underWay -= 1
    measured.underWay.dec()
    span?.end({ failed })
  }
  work.then(
    () => end(false),
    () => end(true),
  )
  return work
}
