/** What `REDIS_URL` may lead to (docs/operators/databases.md#redis). */
export type RedisAddress =
  | { kind: 'single'; url: string }
  | ({ kind: 'cluster' } & RedisHosts)
  | ({ kind: 'sentinel'; name: string; db: number; sentinelPassword: string | undefined } & RedisHosts)

export interface RedisHosts {
  hosts: { host: string; port: number }[]
  username: string | undefined
  password: string | undefined
  tls: boolean
}

const ADDRESS =
  /^(?<scheme>rediss?)(?:\+(?<kind>cluster|sentinel))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]+)(?:\/(?<db>\d*))?(?:\?(?<query>.*))?$/
const HOST = /^(?<host>\[[\da-f:.]+\]|[^:[\]]+)(?::(?<port>\d{1,5}))?$/i
const PORT = 6_379
const SENTINEL_PORT = 26_379

/** Throws an Error whose message says what to write instead. */
export function readRedisAddress(url: string): RedisAddress {
  const { scheme, kind, user, password, hosts: list = '', db, query } = ADDRESS.exec(url)?.groups ?? {}
  const isCluster = kind === 'cluster' || (kind === undefined && list.includes(','))
  if (scheme !== undefined && kind === undefined && !isCluster) return { kind: 'single', url }
  const settings = new URLSearchParams(query)
  const hosts = list.split(',').map((text) => readHost(text, isCluster ? PORT : SENTINEL_PORT))
  const shared = {
    hosts,
    username: user ? decodeURIComponent(user) : undefined,
    password: password === undefined ? undefined : decodeURIComponent(password),
    tls: scheme === 'rediss',
  }
  if (isCluster) {
    if (Number(db || 0) !== 0) throw new Error('a cluster has database 0 only')
    return { kind: 'cluster', ...shared }
  }
  const name = settings.get('name')
  if (kind !== 'sentinel' || !name)
    throw new Error(
      'of Sentinels it must name what they watch, as redis+sentinel://one,two,three/?name=mymaster',
    )
  return {
    kind: 'sentinel',
    ...shared,
    name,
    db: Number(db || 0),
    sentinelPassword: settings.get('sentinel_password') ?? undefined,
  }
}

function readHost(text: string, usualPort: number): { host: string; port: number } {
  const { host, port = usualPort } = HOST.exec(text)?.groups ?? {}
  if (host === undefined || Number(port) > 65_535)
    throw new Error('must be an address such as redis://…, or hosts as one:6379,two:6379')
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
