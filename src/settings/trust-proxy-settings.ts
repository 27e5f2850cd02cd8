import { isIP } from 'node:net'
import { Type } from 'typebox'

/** As Fastify takes it. */
export type TrustProxy = boolean | string | ((address: string, hop: number) => boolean)

/** Names that Fastify's proxy rules accept for ranges of addresses. */
const PROXY_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal'])

export const TRUST_PROXY_SETTING = Type.Refine(
  Type.String({ description: 'true, false, a number of hops, or a comma-separated list of addresses' }),
  isTrustProxy,
)

function isTrustProxy(value: string): boolean {
  if (/^(true|false|\d+)$/.test(value)) return true
  return value.split(',').every((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/')
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    const isRange = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= longest)
    return PROXY_RANGES.has(part.trim()) || (longest > 0 && isRange && rest.length === 0)
  })
}

export function readTrustProxy(value = 'false'): TrustProxy {
  if (value === 'false') return false
  if (value === 'true') return true
  return /^\d+$/.test(value) ? (_address, hop) => hop < Number(value) : value
}
