import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { endSignal } from './deadline.ts'

/** Content that is read in parts. */
export interface RangedContent {
  size: number
  /** The bytes from `start` to `end`, both included. */
  read(start: number, end: number): Promise<Readable>
}

/**
 * Sends the requested part of the content with 206, or all of it. If several parts are requested, or the content has
 * changed (`If-Range`), all of it is sent, as the standard allows. 416 for a part beyond the end.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: RangedContent,
  etag: string,
) {
  const { size } = content
  reply.header('accept-ranges', 'bytes')
  const { range, 'if-range': condition = etag } = request.headers
  const asked = request.method === 'GET' && condition === etag ? readRange(range, size) : undefined
  if (asked === 'none') {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError('range_not_satisfiable')
  }
  const { start, end } = asked ?? { start: 0, end: size - 1 }
  const length = end - start + 1
  const requestEnd = endSignal(request, reply)
  // A HEAD request has the same headers.
  const part = request.method === 'HEAD' || length === 0 ? Readable.from([]) : await content.read(start, end)
  // Nobody else would end it, and with it its file.
  if (requestEnd.aborted) {
    part.destroy()
    return reply
  }
  if (asked) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  return reply.header('content-length', length).send(part)
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
