import type { Platform, Store } from '../platform.ts'
import { memoryStore } from '../storage/memory.ts'
import { check, globals } from './globals.ts'

/**
 * Node.js 22 or newer, or another server with its globals. Clients share nothing; without a `store`, everything is
 * forgotten when the process ends. Throws where something of that is missing.
 */
export function node(options: { store?: Store } = {}): Platform {
  check('Node.js 22 or newer, or another server with its globals', 'crypto')
  return {
    ...globals,
    store: options.store ?? memoryStore(),
    uuid: () => crypto.randomUUID(),
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
