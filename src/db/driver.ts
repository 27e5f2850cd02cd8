import type postgres from 'postgres'
import { database as measured } from '../telemetry/metrics.ts'
import { beginSpan } from '../telemetry/traces.ts'

// What postgres.js doesn't do by itself, and its types don't show.

/**
 * A statement with more parameters than this contains a list of varying length, so the same text hardly ever comes
 * again.
 */
const MOST_NAMED_PARAMETERS = 40

type Work = (tx: postgres.TransactionSql) => unknown

/** Methods of the driver's promise that its types don't show. */
interface Settled {
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** What the driver's types don't show of a connection that a transaction has. */
interface Connection {
  /** Called when the connection is ready; with `release` it doesn't go back to the pool outside of a transaction. */
  reserved: (() => void) & { release?: boolean }
  /** Fails the transaction. */
  onclose?: (error: unknown) => void
  terminate(): void
}

/** An option of `begin`'s own statement that the driver's types don't show: called when a connection has got it. */
interface BeginOptions extends postgres.UnsafeQueryOptions {
  onexecute?: (connection: Connection) => void
}

/**
 * Prepares every statement under a name, which drizzle doesn't do: each connection then parses and plans a text once.
 * PostgreSQL plans again after it has analysed the tables. Searches are planned each time, for the text that they
 * look for.
 */
export function nameStatements<Driver extends postgres.Sql | postgres.TransactionSql>(
  driver: Driver,
): Driver {
  const { unsafe } = driver
  const isPool = 'begin' in driver
  const named: typeof unsafe = (text, parameters = [], options) =>
    unsafe(text, parameters, { ...options, prepare: isNamed(text, parameters.length) })
  driver.unsafe = isPool ? named : (...statement) => sendOnce(named(...statement))
  if (isPool) Object.assign(driver, { begin: insideToo(driver.begin) })
  else Object.assign(driver, { savepoint: insideToo(driver.savepoint) })
  return driver
}

function isNamed(text: string, parameters: number): boolean {
  return parameters > 0 && parameters <= MOST_NAMED_PARAMETERS && !text.includes(' ilike ')
}

function insideToo(open: (work: Work) => Promise<unknown>): (work: Work) => Promise<unknown> {
  return (work) => open((tx) => work(nameStatements(tx)))
}

/**
 * Keeps the driver from repeating a statement that was prepared before a migration changed its result. The failure has
 * ended the transaction, and if `commit` was sent already, the statement would run alone behind it.
 */
function sendOnce<Query extends object>(query: Query): Query {
  return Object.defineProperty(query, 'retried', {
    get: () => undefined,
    // Set when the driver has forgotten the prepared statement and is about to repeat it.
    set(this: Settled & { cancelled: unknown }, error: unknown) {
      this.cancelled = true
      this.reject(error)
    },
  })
}

/**
 * Sends a transaction's first statements together with `begin`: the driver would wait for the answer to `begin` first.
 * If `begin` fails, the transaction fails and its connection is closed, so that nothing more runs outside of a
 * transaction. What was sent together with `begin` would run: PostgreSQL and PgBouncer prevent that, as they refuse
 * `begin` only by ending the connection.
 */
export function pipelineBegin(client: postgres.Sql): postgres.Sql {
  const { unsafe } = client
  const pipelined = (...[text, parameters, options = {}]: Parameters<typeof unsafe>) => {
    const { onexecute }: BeginOptions = options
    if (!onexecute) return unsafe(text, parameters, options)
    const sent = Promise.withResolvers<void>()
    let taken: Connection | undefined
    const marked: BeginOptions = {
      ...options,
      onexecute(connection) {
        taken = connection
        onexecute(connection)
        // After this the driver marks the connection as busy; `reserved` makes it ready for the next statement.
        queueMicrotask(() => {
          connection.reserved()
          sent.resolve()
        })
      },
    }
    const begin = unsafe(text, parameters, marked)
    const { reject } = begin as object as Settled
    begin.then(() => sent.resolve(), sent.reject)
    return Object.assign(begin, {
      execute: () => sent.promise,
      // At once and not in `catch`: the answers to the next statements may have arrived too.
      reject(error: unknown) {
        reject(error)
        if (taken) abandon(begin, taken, error)
      },
    })
  }
  return Object.assign(client, { unsafe: pipelined })
}

function abandon(begin: object, connection: Connection, error: unknown): void {
  connection.onclose?.(error)
  connection.reserved.release = true
  // The driver rejects what is under way on a connection that it terminates, and `begin` still is.
  Object.assign(begin, { reject() {} })
  connection.terminate()
}

/** Counts the statements and transactions that need a connection: the driver doesn't say how many wait for one. */
export function measureUse(client: postgres.Sql, pool: number): postgres.Sql {
  const { unsafe, begin } = client
  const enter = () => {
    if (measured.underWay.value >= pool) measured.waits.add()
    measured.underWay.add(1)
  }
  const leave = () => measured.underWay.add(-1)
  const counted = <Query>(text: string, query: Query): Query => {
    const { resolve, reject } = query as Settled
    const span = beginSpan(/^\W*(\w+)/.exec(text)?.[1] ?? 'statement', { 'db.system.name': 'postgresql' })
    enter()
    return Object.assign(query as Query & object, {
      resolve(result: unknown) {
        leave()
        span?.end()
        resolve(result)
      },
      reject(error: unknown) {
        leave()
        span?.end({ failed: true })
        reject(error)
      },
    } satisfies Settled)
  }
  client.unsafe = (text, parameters = [], options) => counted(text, unsafe(text, parameters, options))
  const beginMeasured = async (work: Work) => {
    const span = beginSpan('transaction', { 'db.system.name': 'postgresql' })
    enter()
    try {
      return await begin(work)
    } finally {
      leave()
      span?.end()
    }
  }
  return Object.assign(client, { begin: beginMeasured })
}
