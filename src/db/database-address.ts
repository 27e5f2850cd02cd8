import { readFileSync } from 'node:fs'
import { type ConnectionOptions, checkServerIdentity } from 'node:tls'

/** Where a database is and how to connect to it, for both drivers: the service's and the job queue's. */
export interface Address {
  /** The address with `localhost` for its hosts, and without the parts that are in the other fields. */
  url: string
  /** At least one. Of several, one is the primary. */
  hosts: [Host, ...Host[]]
  ssl: false | ConnectionOptions
}

export interface Host {
  /** A name, an IP address, or the folder that PostgreSQL's Unix socket is in. */
  host: string
  port: number
}

/**
 * Parameters that PostgreSQL's own tools read from the address. Drivers would send them to the server, so they are
 * removed.
 */
const OF_THE_CLIENT = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port', 'target_session_attrs']
/** Kinds of servers that the service can write to. */
const WRITABLE = ['any', 'read-write', 'primary']
const USUAL_PORT = 5_432
/** Parameters of other programs that have no effect here. */
const IGNORED = ['channel_binding', 'gssencmode', 'pgbouncer', 'connection_limit']

/** The address with this host as one text, as the job queue's driver takes it. */
export function toConnectionString({ url }: Address, { host, port }: Host): string {
  return `${url}${url.includes('?') ? '&' : '?'}host=${encodeURIComponent(host)}&port=${port}`
}

/**
 * Reads DATABASE_URL as PostgreSQL's own tools do (`sslmode`, `sslrootcert`, `?host=/run/postgresql`), because neither
 * driver reads all of that. Throws an error that names the wrong part.
 */
export function readAddress(text: string): Address {
  const [head = '', query = ''] = text.split(/\?(.*)/s, 2)
  const parameters = new URLSearchParams(query)
  const [sslmode, sslrootcert, sslcert, sslkey, host, port, target = 'primary'] = OF_THE_CLIENT.map(
    (name) => parameters.get(name) ?? undefined,
  )
  if (!WRITABLE.includes(target))
    throw new Error(
      `DATABASE_URL: target_session_attrs=${target} is no server that can be written to; leave it out`,
    )
  for (const name of [...OF_THE_CLIENT, ...IGNORED]) parameters.delete(name)
  const [, scheme = '', authority = '', end = ''] = /^(\w+:\/\/)([^/]*)(.*)$/s.exec(head) ?? []
  const written = authority.lastIndexOf('@') + 1
  const url = `${scheme}${authority.slice(0, written)}localhost${end}`
  if (!URL.canParse(url))
    throw new Error('DATABASE_URL: must be an address such as postgres://user:password@host:5432/database')
  const hosts = readHosts(host ?? authority.slice(written), port)
  return {
    url: parameters.size > 0 ? `${url}?${parameters}` : url,
    hosts,
    ssl: readTls({ sslmode, sslrootcert, sslcert, sslkey }, hosts),
  }
}

/** `one:5432,[::1],three`, or with the ports in a list of their own: one for each host, or one for all. */
function readHosts(list: string, ports = ''): Address['hosts'] {
  const given = ports.split(',')
  const [first = '', ...others] = list.split(',')
  const read = (each: string, at: number): Host => {
    const [name = '', own] = splitPort(each)
    const port = Number(own || (given[at] ?? given[0]) || USUAL_PORT)
    // Not which one: it may be a part of a password with a slash.
    if (!Number.isInteger(port))
      throw new Error('DATABASE_URL: a port is no number (in a password, / is written %2F and ? is %3F)')
    return { host: decodeURIComponent(name) || 'localhost', port }
  }
  return [read(first, 0), ...others.map((each, at) => read(each, at + 1))]
}

/** An IPv6 address has colons of its own, in brackets or without. */
function splitPort(host: string): string[] {
  const [, inBrackets, port] = /^\[([^\]]*)\](?::(.*))?$/s.exec(host) ?? []
  if (inBrackets !== undefined) return port === undefined ? [inBrackets] : [inBrackets, port]
  const parts = host.split(':')
  return parts.length === 2 ? parts : [host]
}

type TlsParameters = Record<'sslmode' | 'sslrootcert' | 'sslcert' | 'sslkey', string | undefined>

function readTls({ sslmode, sslrootcert, sslcert, sslkey }: TlsParameters, hosts: Host[]): Address['ssl'] {
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
      return {
        ...files,
        rejectUnauthorized: true,
        checkServerIdentity: checkIdentity(hosts),
      }
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

/**
 * Whether the certificate is for one of the hosts. The name that a driver passes is left alone: it is missing for an IP
 * address, and with several hosts it may be another one's.
 */
function checkIdentity(hosts: Host[]): typeof checkServerIdentity {
  return (_name, certificate) => {
    const failures = hosts.map(({ host }) => checkServerIdentity(host, certificate))
    return failures.includes(undefined) ? undefined : failures[0]
  }
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`DATABASE_URL: ${name}=${file} can't be read: ${(error as Error).message}`)
  }
}
