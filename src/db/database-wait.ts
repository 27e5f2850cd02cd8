import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'
import { type Host, readAddress } from './database-address.ts'
import { driverOptions } from './database-client.ts'
import { isRefusal } from './database-errors.ts'

/** How long a start waits: after a restart of the machine PostgreSQL may come up later than the service. */
const LONGEST_MS = 20_000
const PAUSE_MS = 500
const TLS_ANSWER_MS = 5_000

/** Waits until the database answers. Throws its error if it refuses, or can't be reached for too long. */
export async function waitForDatabase(url: string, log: Pick<FastifyBaseLogger, 'warn'>): Promise<void> {
  const sql = postgres(...driverOptions(url, { max: 1 }))
  let said = false
  try {
    for (const begun = performance.now(); ; await sleep(PAUSE_MS)) {
      const error = await sql`select 1`.then(
        () => undefined,
        (reason: Error) => reason,
      )
      if (error === undefined) return
      if (!said) await requireTls(url)
      if (isRefusal(error) || performance.now() - begun > LONGEST_MS) throw error
      if (!said) log.warn(`the database can't be reached, waiting for it: ${error.message}`)
      said = true
    }
  } finally {
    await sql.end({ timeout: 3 })
  }
}

/** PostgreSQL's question whether a server speaks TLS, which it answers with S or N. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * Throws if the address asks for TLS and every host says that it has none: the driver's error doesn't tell. One host
 * with TLS that hasn't come up yet is worth waiting for, whatever the others say.
 */
async function requireTls(url: string): Promise<void> {
  const { ssl, hosts } = readAddress(url)
  if (ssl === false) return
  const answers = await Promise.all(hosts.map(askForTls))
  if (answers.every((answer) => answer === 'N'))
    throw new Error(
      'DATABASE_URL: its sslmode asks for TLS, and the server has none: set ssl = on there, or write sslmode=disable',
    )
}

function askForTls({ host, port }: Host): Promise<string> {
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    socket.setTimeout(TLS_ANSWER_MS, () => socket.destroy())
    socket.once('data', (bytes) => {
      resolve(bytes.toString('latin1', 0, 1))
      socket.destroy()
    })
    socket.on('error', () => {}).on('close', () => resolve(''))
    socket.write(SSL_REQUEST)
  })
}
