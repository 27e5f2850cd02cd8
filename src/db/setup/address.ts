import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

/** Where a database is and how to connect to it, for both drivers: the service's and the job queue's. */
export interface Address {
  /** The address without the parts that are in the other fields. */
  url: string
  /** undefined: the host of the url. A folder: PostgreSQL's Unix socket is in it. */
  host: string | undefined
  port: number | undefined
  ssl: false | ConnectionOptions
}

/**
 * Parameters that PostgreSQL's own tools read from the address. Drivers would send them to the server, so they are
 * removed.
 */
const OF_THE_CLIENT = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port']
/** Parameters of other programs that have no effect here. */
const IGNORED = ['channel_binding', 'gssencmode', 'pgbouncer', 'connection_limit']

/** The address as one text, with one host only, for the job queue's driver. */
export function toConnectionString({ url, host, port }: Address): string {
  const parameters = Object.entries({ host, port }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  const first = url.replace(/^(\w+:\/\/(?:[^@/]*@)?[^/,]*),[^/]*/, '$1')
  return [first, ...parameters].reduce((text, each) => `${text}${text.includes('?') ? '&' : '?'}${each}`)
}

/**
 * Reads DATABASE_URL as PostgreSQL's own tools do (`sslmode`, `sslrootcert`, `?host=/run/postgresql`), because neither
 * driver reads all of that. Throws an error that names the wrong part.
 */
export function readAddress(url: string): Address {
  const [head = '', query = ''] = url.split(/\?(.*)/s, 2)
  const parameters = new URLSearchParams(query)
  const [sslmode, sslrootcert, sslcert, sslkey, host, port] = OF_THE_CLIENT.map(
    (name) => parameters.get(name) ?? undefined,
  )
  for (const name of [...OF_THE_CLIENT, ...IGNORED]) parameters.delete(name)
  const [, written = ''] = /^\w+:\/\/(?:[^@/]*@)?([^/:]*)/.exec(head) ?? []
  const folder = /^%2f/i.test(written) ? decodeURIComponent(written) : undefined
  const rest = folder === undefined ? head : head.replace(written, 'localhost')
  return {
    url: parameters.size > 0 ? `${rest}?${parameters}` : rest,
    host: host ?? folder,
    port: port === undefined ? undefined : Number(port),
    ssl: readTls({ sslmode, sslrootcert, sslcert, sslkey }),
  }
}

type TlsParameters = Record<'sslmode' | 'sslrootcert' | 'sslcert' | 'sslkey', string | undefined>

function readTls({ sslmode, sslrootcert, sslcert, sslkey }: TlsParameters): Address['ssl'] {
  const ca =
    sslrootcert === undefined || sslrootcert === 'system' ? undefined : readPem('sslrootcert', sslrootcert)
  const files = {
    ...(ca === undefined ? {} : { ca }),
    ...(sslcert === undefined ? {} : { cert: readPem('sslcert', sslcert) }),
    ...(sslkey === undefined ? {} : { key: readPem('sslkey', sslkey) }),
  }
  switch (sslmode ?? (sslrootcert === undefined ? 'disable' : 'verify-full')) {
    case 'disable':
      return false
    case 'verify-full':
      return { ...files, rejectUnauthorized: true }
    case 'verify-ca':
      return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined }
    case 'require':
      // As PostgreSQL's own tools do: encrypted, but the server is only verified with a root certificate.
      return ca === undefined
        ? { ...files, rejectUnauthorized: false }
        : { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined }
    default:
      throw new Error(
        `DATABASE_URL: sslmode=${sslmode} is none of disable, require, verify-ca and verify-full`,
      )
  }
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`DATABASE_URL: ${name}=${file} can't be read: ${(error as Error).message}`)
  }
}
