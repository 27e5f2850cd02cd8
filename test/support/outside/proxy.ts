import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A TCP proxy to `target` that can freeze, as networks and stopped servers do, counts round trips, and can answer in
 * the place of `target`.
 */
export async function startProxy(target: URL) {
  const pairs = new Set<[Socket, Socket]>()
  let [frozen, unplugged, roundTrips] = [false, false, 0]
  let swapped: { request: Buffer; answer: Buffer } | undefined
  const server = createServer((client) => {
    if (unplugged) {
      client.destroy()
      return
    }
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
      from.on('data', (bytes) => {
        const at = from === client && swapped ? bytes.indexOf(swapped.request) : -1
        if (swapped === undefined || at === -1) {
          to.write(bytes)
          return
        }
        from.write(swapped.answer)
        to.write(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + swapped.request.length)]))
        swapped = undefined
      })
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
      if (frozen) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of [...pairs].flat()) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    /** How often `target` has answered what it was sent. */
    get roundTrips() {
      return roundTrips
    },
    /** The next such request gets this answer, and doesn't reach `target`. */
    answerNext(request: Buffer, answer: Buffer) {
      swapped = { request, answer }
    },
    freeze() {
      frozen = true
      for (const socket of [...pairs].flat()) socket.pause()
    },
    thaw() {
      frozen = false
      for (const socket of [...pairs].flat()) socket.resume()
    },
    /** Closes every connection. */
    cut,
    /** Closes every connection, and each new one at once, until `plug`. */
    unplug() {
      unplugged = true
      cut()
    },
    plug() {
      unplugged = false
    },
    /** Ends every connection as a computer does that has lost its state. */
    reset() {
      for (const [client] of pairs) client.resetAndDestroy()
    },
    /** Closes every connection and accepts no new ones. */
    close() {
      server.close()
      cut()
    },
  }
}
