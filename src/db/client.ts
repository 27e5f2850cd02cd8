import { sql } from 'drizzle-orm'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { database as measured } from '../telemetry/metrics.ts'
import { beginSpan } from '../telemetry/traces.ts'
import { readAddress } from './setup/address.ts'

/** The first argument of every store function: the pool or a transaction, never a default. */
export type Executor = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>

/** The pool. `$client` is the driver itself, for statements as plain text. */
export type Db = PostgresJsDatabase & { $client: postgres.Sql }

export interface DatabaseOptions {
  url: string
  /** Most connections that this node opens. */
  pool: number
  /** Whether statements are prepared. That needs connections that belong to this node alone. */
  prepare?: boolean
  /** Whether a statement timeout can be set when connecting; if not, the server has to set one. */
  limitsStatements?: boolean
}

/** A statement that takes longer than this is cancelled, and the request answers 503. */
const STATEMENT_TIMEOUT_MS = 8_000

/** The longest pause between tries to connect, so that the service works again soon after the database is back. */
const LONGEST_PAUSE_SECONDS = 1

/**
 * A statement with more parameters than this contains a list of varying length, so the same text hardly ever comes
 * again.
 */
const MOST_NAMED_PARAMETERS = 40

/** The arguments of the driver, with the options that all connections have in common. */
export function driverOptions<Options extends postgres.Options<Record<string, never>>>(
  url: string,
  { connection, ...options }: Options,
) {
  const address = readAddress(url)
  return [
    address.url,
    {
      connect_timeout: 5,
      backoff: (retries: number) => Math.min(LONGEST_PAUSE_SECONDS, 0.05 * 2 ** retries),
      onnotice: () => {},
      ssl: address.ssl,
      ...(address.host === undefined ? {} : { host: address.host }),
      ...(address.port === undefined ? {} : { port: address.port }),
      ...options,
      connection: { application_name: 'exam-practice', ...connection },
    },
  ] as const
}

export function connectDatabase({ url, pool, prepare = true, limitsStatements = true }: DatabaseOptions): Db {
  const connection = limitsStatements ? { statement_timeout: STATEMENT_TIMEOUT_MS } : {}
  const client = postgres(...driverOptions(url, { max: pool, idle_timeout: 60, prepare, connection }))
  return drizzle({ client: measureUse(pipelineBegin(nameStatements(client)), pool), casing: 'snake_case' })
}

/**
 * Prepares every statement under a name, which drizzle doesn't do: each connection then parses and plans a text once.
 * PostgreSQL plans again after it has analysed the tables. Searches are planned each time, for the text that they
 * look for.
 */
function nameStatements<Driver extends postgres.Sql | postgres.TransactionSql>(driver: Driver): Driver {
  const { unsafe } = driver
  const isPool = 'begin' in driver
  const named: typeof unsafe = (text, parameters = [], options) =>
    unsafe(text, parameters, { ...options, prepare: isNamed(text, parameters.length) })
  driver.unsafe = isPool ? named : (...statement) => sendOnce(named(...statement))
  if (isPool) Object.assign(driver, { begin: insideToo(driver.begin) })
  else Object.assign(driver, { savepoint: insideToo(driver.savepoint) })
  return driver
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

/** Methods of the driver's promise that its types don't show. */
interface Settled {
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Counts the statements and transactions that need a connection: the driver doesn't say how many wait for one. */
function measureUse(client: postgres.Sql, pool: number): postgres.Sql {
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
 * Sends a transaction's first statements together with `begin`: the driver would wait for the answer to `begin` first.
 * If `begin` fails, the transaction fails and its connection is closed, so that nothing more runs outside of a
 * transaction. What was sent together with `begin` would run: PostgreSQL and PgBouncer prevent that, as they refuse
 * `begin` only by ending the connection.
 */
function pipelineBegin(client: postgres.Sql): postgres.Sql {
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

type Work = (tx: postgres.TransactionSql) => unknown

function insideToo(open: (work: Work) => Promise<unknown>): (work: Work) => Promise<unknown> {
  return (work) => open((tx) => work(nameStatements(tx)))
}

function isNamed(text: string, parameters: number): boolean {
  return parameters > 0 && parameters <= MOST_NAMED_PARAMETERS && !text.includes(' ilike ')
}

/** Makes a transaction that was begun on the driver, as for COPY, usable by stores. */
export function toExecutor(driver: postgres.Sql, sql: postgres.TransactionSql): Executor {
  const client = Object.assign(sql, { options: driver.options }) as unknown as postgres.Sql
  return drizzle({ client, casing: 'snake_case' })
}

/** The part of a pool's connections that one asker, or all heavy reads together, may hold. */
export function shareOf(pool: number): number {
  return Math.ceil(pool / 3)
}

/** An id of this database that doesn't depend on its address. */
export async function identifyDatabase(db: Db): Promise<string> {
  const [row] = await db.execute<{ id: string }>(sql`
    select system_identifier || '-' || (select oid from pg_database where datname = current_database()) as id
      from pg_control_system()`)
  return (row as { id: string }).id
}

/** Closes the pool; connections that don't end within three seconds are dropped. */
export async function closeDatabase(db: Db): Promise<void> {
  await db.$client.end({ timeout: 3 })
}
