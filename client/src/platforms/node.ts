import type { Platform, PlatformSocket, Store } from '../platform.ts'
import { memoryStore } from '../storage/memory.ts'
import { after } from './after.ts'

/**
 * Node.js 22 or newer, or another server with its globals. Clients share nothing; without a `store`, everything is
 * forgotten when the process ends.
 */
export function node(options: { store?: Store } = {}): Platform {
  return {
    fetch: (request) => fetch(request),
    openSocket: (url, protocols) => new WebSocket(url, protocols) as unknown as PlatformSocket,
    store: options.store ?? memoryStore(),
    now: Date.now,
    steady: () => performance.now(),
    random: Math.random,
    uuid: () => crypto.randomUUID(),
    after,
    upload: (request, tell) => fetch(counted(request, tell)),
  }
}

function counted(request: Request, tell: (sent: number, total: number | undefined) => void): Request {
  if (!request.body) return request
  let sent = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      sent += chunk.length
      tell(sent, undefined)
      controller.enqueue(chunk)
    },
  })
  const init = { body: request.body.pipeThrough(counting as never), duplex: 'half' }
  return new Request(request, init as RequestInit)
}
