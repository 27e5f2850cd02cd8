import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A bucket on loopback that speaks S3's protocol for single objects and checks every signature (version 4). */
export class LoopbackS3 {
  readonly objects = new Map<string, { bytes: Buffer; contentType: string }>()
  readonly accessKeyId = 'AKIDEXAMPLE'
  readonly secretAccessKey = 'a secret of the loopback bucket'
  /** The status of every answer while it is set. */
  failing: number | undefined
  /** Hangs up in the middle of every answer while it is set. */
  breaking = false
  /** Milliseconds before each answer. */
  delay = 0
  /** What reads wait for. */
  held: Promise<void> | undefined
  /** Objects that were read, or parts of them. */
  reads = 0
  readonly #server: Server

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      await setTimeout(this.delay)
      if (request.method === 'GET') await this.held
      const { status, bytes, contentType, etag } = this.#answer(request, Buffer.concat(chunks))
      if (this.breaking) {
        response.writeHead(status, { 'content-length': 1_000 }).write('the beginning')
        globalThis.setTimeout(() => response.destroy(), 20)
        return
      }
      const type = contentType ? { 'content-type': contentType } : {}
      const length = Buffer.byteLength(bytes ?? '')
      response.writeHead(status, { ...type, ...(etag ? { etag } : {}), 'content-length': length })
      response.end(request.method === 'HEAD' ? undefined : bytes)
    })
  }

  static async start(): Promise<LoopbackS3> {
    const s3 = new LoopbackS3()
    s3.#server.listen(0, '127.0.0.1')
    await once(s3.#server, 'listening')
    return s3
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #answer(
    request: IncomingMessage,
    body: Buffer,
  ): { status: number; bytes?: Buffer | string; contentType?: string; etag?: string } {
    if (this.failing) return { status: this.failing }
    if (!this.#isSigned(request, body))
      return { status: 403, bytes: '<Error><Code>SignatureDoesNotMatch</Code></Error>' }
    const key = decodeURIComponent(request.url ?? '')
    switch (request.method) {
      case 'PUT':
        this.objects.set(key, { bytes: body, contentType: request.headers['content-type'] ?? '' })
        return { status: 200 }
      case 'HEAD':
      case 'GET': {
        if (request.url?.includes('list-type=2')) return { status: 200, bytes: this.#list(request.url) }
        const found = this.objects.get(key)
        if (!found) return { status: 404, bytes: '<Error><Code>NoSuchKey</Code></Error>' }
        const etag = `"${createHash('md5').update(found.bytes).digest('hex')}"`
        if (request.method === 'GET') this.reads += 1
        const { range, 'if-match': expected = etag } = request.headers
        if (expected !== etag) return { status: 412, bytes: '<Error><Code>PreconditionFailed</Code></Error>' }
        const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
        if (start === undefined) return { status: 200, ...found, etag }
        return { status: 206, ...found, bytes: found.bytes.subarray(Number(start), Number(end) + 1), etag }
      }
      case 'DELETE':
        this.objects.delete(key)
        return { status: 204 }
    }
    return { status: 405 }
  }

  /** A page of two keys of the bucket, as ListObjectsV2 answers it. */
  #list(url: string): string {
    const { pathname, searchParams } = new URL(url, this.endpoint)
    const keys = [...this.objects.keys()].flatMap((key) =>
      key.startsWith(pathname) ? key.slice(pathname.length) : [],
    )
    const start = Number(searchParams.get('continuation-token') ?? 0)
    const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const found = keys.slice(start, start + 2).map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`)
    const next = start + 2 < keys.length ? `<NextContinuationToken>${start + 2}</NextContinuationToken>` : ''
    return `<ListBucketResult>${found.join('')}${next}</ListBucketResult>`
  }

  /** See "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)". */
  #isSigned(request: IncomingMessage, body: Buffer): boolean {
    const [, id, day, region, signed = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        request.headers.authorization ?? '',
      ) ?? []
    if (id !== this.accessKeyId || day === undefined || region === undefined) return false
    const hash = String(request.headers['x-amz-content-sha256'])
    if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return false
    const names = signed.split(';')
    if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names.includes(name))) return false
    const [path = '', query = ''] = (request.url ?? '').split('?')
    const canonical = [
      request.method,
      path
        .split('/')
        .map((segment) => encodeStrictly(decodeURIComponent(segment)))
        .join('/'),
      query,
      ...names.map((name) => `${name}:${String(request.headers[name]).trim()}`),
      '',
      signed,
      hash,
    ].join('\n')
    const scope = `${day}/${region}/s3/aws4_request`
    const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
    const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      `AWS4${this.secretAccessKey}`,
    )
    return createHmac('sha256', key).update(text).digest('hex') === signature
  }
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
