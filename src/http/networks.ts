import { isIPv6 } from 'node:net'
import { Address6 } from 'ip-address'

/** Whoever has an IPv6 address commonly has all those that share these first bits of it. */
const IPV6_PREFIX = 64

/** What limits for strangers count by: the IPv4 address, or the network of the IPv6 address. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip
  const address = new Address6(`${ip}/${IPV6_PREFIX}`)
  return address.isMapped4() ? address.to4().correctForm() : address.startAddress().correctForm()
}
