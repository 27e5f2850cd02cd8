import { connect, isIPv6, Socket } from 'node:net'
import postgres from 'postgres'
import { shared } from '../scheduling/shared.ts'
import { CONNECTION_NAME } from '../version.ts'
import type { Address, Host } from './database-address.ts'
import { isRefusal } from './database-errors.ts'

/** How often connections are opened anew where there are several hosts, in case the primary is another one by now. */
export const REFOUND_SECONDS = 30

/** Seconds that a host has for saying whether it is the primary. */
const PATIENCE_SECONDS = 3

/** Options of the service's driver: where it connects to. `silenceMs`: see `followPrimary`. */
export function leadTo(address: Address, silenceMs?: number) {
  const [only, ...others] = address.hosts
  if (others.length === 0) return leadToHost(only)
  const follow = followPrimary(address, silenceMs)
  return { socket: () => follow().connect(), max_lifetime: REFOUND_SECONDS }
}

/** The driver takes the colons of an IPv6 address for that of a port. */
function leadToHost({ host, port }: Host) {
  return isIPv6(host) ? { socket: () => connect(port, host) } : { host, port }
}

/**
 * Makes sockets that connect to the host that is the primary at that moment, whatever address they are given. Whether
 * it answers is the only thing that counts: a host without power refuses nothing, so all are asked at once.
 *
 * `silenceMs`: a socket on which nothing is said for so long is closed, because the other end may be without power.
 */
export function followPrimary(address: Address, silenceMs = 0): () => PrimarySocket {
  const find = shared(() => findPrimary(address))
  return () => new PrimarySocket(find, silenceMs)
}

class PrimarySocket extends Socket {
  readonly #find: () => Promise<Host>
  readonly #silenceMs: number

  constructor(find: () => Promise<Host>, silenceMs: number) {
    super()
    this.#find = find
    this.#silenceMs = silenceMs
  }

  override connect(..._told: unknown[]): this {
    // What is written meanwhile waits.
    this.cork()
    this.#find().then(
      ({ host, port }) => {
        if (this.destroyed) return
        super.connect(port, host)
        this.uncork()
        this.setTimeout(this.#silenceMs, () => this.destroy(timedOut('the database says nothing any more')))
      },
      (error: Error) => this.destroy(error),
    )
    return this
  }
}

/** Asks all hosts at once. The first one that says that it is the primary is it. */
async function findPrimary(address: Address): Promise<Host> {
  const asked = address.hosts.map((each) => ({ each, sql: connectTo(address, each) }))
  try {
    return await Promise.any(
      asked.map(async ({ each, sql }) => {
        const [row] = await sql<[{ standby: boolean }]>`select pg_is_in_recovery() as standby`
        if (row.standby) throw timedOut('a standby')
        return each
      }),
    )
  } catch (error) {
    // A wrong password says more than that the other hosts were away.
    const { errors } = error as AggregateError
    throw errors.find(isRefusal) ?? timedOut('none of the hosts in DATABASE_URL is a primary that answers')
  } finally {
    for (const { sql } of asked) void sql.end({ timeout: 0 })
  }
}

function connectTo({ url, ssl }: Address, host: Host): postgres.Sql {
  return postgres(url, {
    ...leadToHost(host),
    ssl,
    max: 1,
    connect_timeout: PATIENCE_SECONDS,
    fetch_types: false,
    connection: { application_name: CONNECTION_NAME, statement_timeout: PATIENCE_SECONDS * 1_000 },
  })
}

/** An error like the operating system's for a server that isn't there. */
function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}
