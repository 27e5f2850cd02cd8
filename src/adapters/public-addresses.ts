import dns from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** What is not a host on the internet: this machine, its own networks, and ranges that are reserved. */
const RESERVED_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** The addresses of hosts, of which the others are reserved: some lead to addresses of IPv4. */
const HOSTS_6 = '2000::/3'
const RESERVED_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const reserved = listOf([...RESERVED_4, ...RESERVED_6])
const hosts = listOf([HOSTS_6])

/** Whether an IP address is one of a host on the internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !reserved.check(address, 'ipv4')
  return hosts.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}

/** Endings of names that no host on the internet has. */
const RESERVED_NAMES = new Set([
  'localhost',
  'localdomain',
  'local',
  'internal',
  'invalid',
  'test',
  'onion',
  'arpa',
])

/**
 * Whether a name or address, as in a URL, can be one of a host on the internet. What a name leads to is checked when it
 * is connected to.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return isPublicAddress(host)
  const labels = host.replace(/\.$/, '').split('.')
  return labels.length > 1 && !RESERVED_NAMES.has(labels.at(-1) ?? '')
}

/**
 * Resolves names to public addresses alone, for connections to places that somebody else has named: what a name leads
 * to may change, so it is checked when it is connected to. Names that are addresses are not looked up. `lookup` would
 * wait in one of two threads that all names of the process share, and somebody's name server may never answer.
 */
export const lookupPublic: LookupFunction = async (hostname, options, callback) => {
  const none = () => []
  const found = await Promise.all([dns.resolve4(hostname).catch(none), dns.resolve6(hostname).catch(none)])
  const addresses = found
    .flat()
    .filter(isPublicAddress)
    .map((address) => ({ address, family: isIP(address) }))
  const [first] = addresses
  if (!first) return callback(new Error('the host has no public address'), '')
  if (options.all) callback(null, addresses)
  else callback(null, first.address, first.family)
}

function listOf(ranges: string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), isIP(network) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
