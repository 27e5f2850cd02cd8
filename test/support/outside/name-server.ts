import { createSocket } from 'node:dgram'
import dns from 'node:dns/promises'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** A name server on loopback that knows these names, has no other addresses of them, and never answers for others. */
export async function startNameServer(addresses: Record<string, string[]>) {
  const asked = new Set<string>()
  const server = createSocket('udp4')
  server.on('message', (query, { port, address }) => {
    const { name, end } = readName(query)
    asked.add(name)
    const known = addresses[name]
    if (!known) return
    const answers = query.readUInt16BE(end) === 1 ? known.map(writeAddress) : []
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(answers.length, 6)
    head.writeUInt32BE(0, 8)
    server.send(Buffer.concat([head, query.subarray(12, end + 4), ...answers]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const before = dns.getServers()
  dns.setServers([`127.0.0.1:${(server.address() as AddressInfo).port}`])
  return {
    asked,
    close() {
      dns.setServers(before)
      server.close()
    },
  }
}

/** The name that a query asks for, and where it ends. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let end = 12
  for (let length = query.readUInt8(end); length > 0; length = query.readUInt8(end)) {
    labels.push(query.toString('latin1', end + 1, end + 1 + length))
    end += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: end + 1 }
}

/** An A record of the name that was asked for. */
function writeAddress(address: string): Buffer {
  return Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)])
}
