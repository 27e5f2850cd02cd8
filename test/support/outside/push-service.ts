import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '../client.ts'

export interface ReceivedPush {
  device: string
  headers: IncomingHttpHeaders
  /** What the service encrypted. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  text: any
}

/** A browser with its keys, as a push service knows it. */
export interface Device {
  name: string
  /** What it gives to the service. */
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } }
  received: ReceivedPush[]
}

type Answer = { status: number; headers?: Record<string, string>; afterMs?: number }

/** A push service on loopback: it takes pushes as RFC 8030 says, and reads them as the devices would. */
export class PushService {
  readonly host: string
  readonly received: ReceivedPush[] = []
  /** What the next pushes are answered, by the name of the device; else 201. */
  readonly answers = new Map<string, Answer[]>()
  /** What was wrong with pushes. */
  readonly problems: string[] = []
  /** Requests for these names, taken or not. */
  readonly asked: string[] = []
  readonly #server: Server
  readonly #devices = new Map<string, { device: Device; pair: ReturnType<typeof createECDH>; auth: Buffer }>()

  static async start(): Promise<PushService> {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return new PushService(server)
  }

  constructor(server: Server) {
    this.#server = server
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => {
      this.#take(request, response).catch((error: Error) => {
        this.problems.push(error.message)
        response.writeHead(500).end()
      })
    })
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = (request.url ?? '').slice(1)
    const body: Buffer[] = []
    for await (const piece of request) body.push(piece as Buffer)
    this.asked.push(name)
    const answer = this.answers.get(name)?.shift() ?? { status: 201 }
    if (answer.status === 201) {
      const text = this.#read(name, Buffer.concat(body))
      this.#requireVapid(request.headers)
      const push = { device: name, headers: request.headers, text }
      this.received.push(push)
      this.#devices.get(name)?.device.received.push(push)
    }
    setTimeout(() => response.writeHead(answer.status, answer.headers).end(), answer.afterMs ?? 0)
  }

  /** A new browser. */
  device(name = randomBytes(9).toString('hex')): Device {
    const pair = createECDH('prime256v1')
    const auth = randomBytes(16)
    const keys = { p256dh: pair.generateKeys('base64url'), auth: auth.toString('base64url') }
    const device = { name, subscription: { endpoint: `http://${this.host}/${name}`, keys }, received: [] }
    this.#devices.set(name, { device, pair, auth })
    return device
  }

  /** A new browser in which this person allows pushes. */
  async subscribe(client: Client): Promise<Device> {
    const device = this.device()
    await client.post('/api/v01/push/subscriptions', device.subscription, 201)
    return device
  }

  /** Answers the next pushes to a device with these statuses, then 201 again. */
  answer(device: Device, ...answers: Answer[]): void {
    this.answers.set(device.name, answers)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** RFC 8291 from the receiver's side. */
  #read(name: string, body: Buffer): unknown {
    const known = this.#devices.get(name)
    if (!known) throw new Error(`a push to nobody: ${name}`)
    const [salt, length] = [body.subarray(0, 16), body.readUInt8(20)]
    const [sender, record] = [body.subarray(21, 21 + length), body.subarray(21 + length)]
    const derive = (secret: Buffer, by: Buffer, info: string | Buffer, bytes: number) =>
      Buffer.from(hkdfSync('sha256', secret, by, info, bytes))
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), known.pair.getPublicKey(), sender])
    const shared = derive(known.pair.computeSecret(sender), known.auth, info, 32)
    const key = derive(shared, salt, 'Content-Encoding: aes128gcm\0', 16)
    const nonce = derive(shared, salt, 'Content-Encoding: nonce\0', 12)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16))
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
    if (padded.at(-1) !== 2) throw new Error('the last record is not marked')
    return JSON.parse(padded.subarray(0, -1).toString())
  }

  /** RFC 8292 from the push service's side. */
  #requireVapid({ authorization = '' }: IncomingHttpHeaders): void {
    const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
    const [head = '', claims = '', signature = ''] = token.split('.')
    const point = Buffer.from(publicKey, 'base64url')
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
    const jwk = { kty: 'EC', crv: 'P-256', x: x as string, y: y as string }
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
    if (!verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url')))
      throw new Error('the signature is wrong')
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    if (aud !== `http://${this.host}` || !sub || exp * 1_000 < Date.now())
      throw new Error(`wrong claims: ${aud}, ${sub}, ${exp}`)
  }
}
