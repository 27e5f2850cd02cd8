import { isIP, isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { Address6 } from 'ip-address'

/** Whoever has an IPv6 address commonly has all those that share these first bits of it. */
const IPV6_PREFIX = 64

/** With a port, or in brackets, as some proxies write addresses; the zone of one is nobody else's business. */
const WITH_PORT = /^(?:([\d.]+)|\[([^[\]%]+)(?:%[^\]]*)?\])(?::\d{1,5})?$/
/** The longest that is looked at: an IPv6 address with a zone and a port. */
const LONGEST_WRITTEN = 100
const UNKNOWN = '0.0.0.0'

/**
 * The address that a request comes from, as far as proxies are believed. If they name one that can't be read, it counts
 * as the proxy's: otherwise somebody who makes up addresses would be a new client each time, and any text would be
 * stored.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return readAddress(ip) ?? readAddress(socket.remoteAddress) ?? UNKNOWN
}

function readAddress(written: string | undefined): string | undefined {
  if (written === undefined || written.length > LONGEST_WRITTEN) return undefined
  if (isIP(written) !== 0) return written.split('%', 1)[0]
  const [, ipv4, ipv6] = WITH_PORT.exec(written) ?? []
  if (ipv4 !== undefined && isIPv4(ipv4)) return ipv4
  return ipv6 !== undefined && isIPv6(ipv6) ? ipv6 : undefined
}

/** What limits for strangers count by: the IPv4 address, or the network of the IPv6 address. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip
  const address = new Address6(`${ip}/${IPV6_PREFIX}`)
  return address.isMapped4() ? address.to4().correctForm() : address.startAddress().correctForm()
}
