import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to `target` that can freeze, as networks and stopped servers do, and counts round trips. */
export async function startProxy(target: URL) {
  const pairs = new Set<[Socket, Socket]>()
  let [frozen, roundTrips] = [false, 0]
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    let speaker = client
    upstream.on('data', () => {
      if (speaker === client) roundTrips += 1
      speaker = upstream
    })
    client.on('data', () => {
      speaker = client
    })
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('data', (bytes) => to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
      if (frozen) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** How often `target` has answered what it was sent. */
    get roundTrips() {
      return roundTrips
    },
    freeze() {
      frozen = true
      for (const socket of [...pairs].flat()) socket.pause()
    },
    thaw() {
      frozen = false
      for (const socket of [...pairs].flat()) socket.resume()
    },
    /** Closes every connection and accepts no new ones. */
    close() {
      server.close()
      for (const socket of [...pairs].flat()) socket.destroy()
    },
  }
}
