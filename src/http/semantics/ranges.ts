import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

/**
 * Sends the requested part of `bytes` with 206, or all of them. If several parts are requested, or the content has
 * changed (`If-Range`), all are sent, as the standard allows. 416 for a part beyond the end.
 */
export function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Buffer, etag: string) {
  reply.header('accept-ranges', 'bytes')
  const { range, 'if-range': condition = etag } = request.headers
  const asked = request.method === 'GET' && condition === etag ? readRange(range, bytes.length) : undefined
  if (asked === undefined) return reply.send(bytes)
  if (asked === 'none') {
    reply.header('content-range', `bytes */${bytes.length}`)
    throw new AppError('range_not_satisfiable')
  }
  const { start, end } = asked
  return reply
    .code(206)
    .header('content-range', `bytes ${start}-${end}/${bytes.length}`)
    .send(bytes.subarray(start, end + 1))
}

/** The first and the last byte; undefined for anything but one plain range, which is ignored. */
function readRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'none' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  // `-5` means the last five bytes.
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < start) return undefined
  return start > end ? 'none' : { start, end }
}
