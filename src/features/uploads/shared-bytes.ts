import type { FastifyReply } from 'fastify'

/** The files that are being sent, by tag. */
const sent = new Map<string, { bytes: Buffer; readers: number }>()

/**
 * The same bytes for all who read the same file at the same time: an image that nobody takes from their connections
 * is in memory once, not once for each of them.
 */
export function shareBytes({ raw }: FastifyReply, etag: string, bytes: Buffer): Buffer {
  const shared = sent.get(etag) ?? { bytes, readers: 0 }
  sent.set(etag, shared)
  shared.readers += 1
  raw.once('close', () => {
    shared.readers -= 1
    if (shared.readers === 0) sent.delete(etag)
  })
  return shared.bytes
}
