import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import { AppError } from '../errors.ts'
import { encodePath } from '../formats/percent.ts'
import type { S3Storage } from '../settings/storage-settings.ts'
import type { Files } from './files.ts'

/** The longest that one try may take: callers answer 503 rather than hang. */
const TIMEOUT_MS = 4_000
/**
 * Bytes of a file that are asked for at once. Each connection that reads slowly holds about two pieces; most pictures
 * take a few requests.
 */
const PIECE = 128 * 1024

/** Files in a bucket of S3, or of anything that speaks its protocol. */
export function createS3Files(storage: S3Storage): Files {
  const client = new AwsClient({
    accessKeyId: storage.accessKeyId,
    secretAccessKey: storage.secretAccessKey,
    ...(storage.sessionToken === undefined ? {} : { sessionToken: storage.sessionToken }),
    service: 's3',
    region: storage.region,
    retries: 1,
  })
  const locate = (key: string) => {
    // In an address these would lead to other buckets.
    if (key.split('/').some((segment) => segment === '.' || segment === '..'))
      throw new Error(`the key ${key} leaves the storage bucket`)
    return `${storage.endpoint}/${storage.bucket}/${encodePath(key)}`
  }

  /** The whole answer, if it is of these statuses; anything else is the storage's fault, not the caller's. */
  async function ask(key: string, init: RequestInit, query: string, ...expected: number[]) {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const response = await client.fetch(locate(key) + query, { ...init, signal })
      const bytes = Buffer.from(await response.arrayBuffer())
      if (expected.includes(response.status))
        return { status: response.status, headers: response.headers, bytes }
      throw new Error(`the file storage answered ${response.status}: ${bytes.toString()}`)
    } catch (cause) {
      throw new AppError('unavailable', { retryAfter: 5, cause })
    }
  }

  /** The bytes from `start` to `end`, each piece as the one before it is taken. */
  async function read(key: string, version: string, start: number, end: number): Promise<Readable> {
    const readPiece = async (at: number) => {
      const range = `bytes=${at}-${Math.min(end, at + PIECE - 1)}`
      return (await ask(key, { headers: { range, 'if-match': version } }, '', 206)).bytes
    }
    const first = await readPiece(start)
    async function* readPieces() {
      yield first
      for (let at = start + PIECE; at <= end; at += PIECE) yield await readPiece(at)
    }
    return Readable.from(readPieces())
  }

  return {
    async put(key, bytes, contentType) {
      const body = new Uint8Array(bytes)
      await ask(key, { method: 'PUT', body, headers: { 'content-type': contentType } }, '', 200)
    },
    async find(key) {
      const { status, headers } = await ask(key, { method: 'HEAD' }, '', 200, 404)
      if (status === 404) return undefined
      const version = headers.get('etag') ?? ''
      return {
        contentType: typeIn(headers),
        size: Number(headers.get('content-length')),
        version,
        read: (start, end) => read(key, version, start, end),
      }
    },
    async get(key) {
      const { status, headers, bytes } = await ask(key, { method: 'GET' }, '', 200, 404)
      return status === 404 ? undefined : { bytes, contentType: typeIn(headers) }
    },
    async delete(key) {
      await ask(key, { method: 'DELETE' }, '', 200, 204, 404)
    },
    async *list() {
      let token: string | undefined
      do {
        const { bytes } = await ask('', { method: 'GET' }, listing(token), 200)
        const answer = bytes.toString()
        for (const [, key = ''] of answer.matchAll(/<Key>([^<]*)<\/Key>/g)) yield fromXml(key)
        const next = /<NextContinuationToken>([^<]*)</.exec(answer)?.[1]
        token = next === undefined ? undefined : fromXml(next)
      } while (token !== undefined)
    },
  }
}

function typeIn(headers: Headers): string {
  return headers.get('content-type') ?? 'application/octet-stream'
}

/** Asks for a page of the bucket's keys (ListObjectsV2). */
function listing(token: string | undefined): string {
  const page = token === undefined ? '' : `continuation-token=${encodeURIComponent(token)}&`
  return `?${page}list-type=2`
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function fromXml(text: string): string {
  return text.replace(/&(#\d+|#x[\da-f]+|\w+);/gi, (entity, name: string) =>
    name.startsWith('#')
      ? String.fromCodePoint(Number(name.slice(1).replace(/^x/i, '0x')))
      : (ENTITIES[name] ?? entity),
  )
}
