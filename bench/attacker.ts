import { connect, type Socket } from 'node:net'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import sharp from 'sharp'
import { openSocket } from './sockets.ts'

/**
 * The service, and somebody who has an account there and member's rights in conversation, notebook, page and exam 1.
 */
interface Target {
  url: string
  token: string
}

/** Attacks in a thread of its own until the answer is called. */
export function startAttack(attack: string, target: Target): () => Promise<unknown> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { attack, ...target } })
  return () => worker.terminate()
}

const { attack, url, token } = (workerData ?? {}) as Partial<Target> & { attack?: string }
const { hostname, port } = new URL(url ?? 'http://127.0.0.1')

/** The bytes of a request. */
function request(method: string, path: string, body: string | Buffer = '', headers: string[] = []): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    ...(headers.length > 0
      ? headers
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
}

function post(path: string, body: object): Buffer {
  return request('POST', path, JSON.stringify(body))
}

/** The bytes of a form with one picture. */
function upload(path: string, picture: Buffer): Buffer {
  const body = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'),
    picture,
    Buffer.from('\r\n--x--\r\n'),
  ])
  const type = 'Content-Type: multipart/form-data; boundary=x'
  return request('POST', path, body, [type, `Content-Length: ${body.length}`])
}

/** A WebSocket frame. */
function frame(opcode: number, payload = ''): Buffer {
  const { length } = payload
  const head = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head, 0, 0, 0, 0]), Buffer.from(payload)])
}

function text(payload: object): Buffer {
  return frame(1, JSON.stringify(payload))
}

/** Keeps that many connections: each that closes is opened again. */
function keep(count: number, use: (socket: Socket) => void): void {
  const open = () => {
    // From an address of its own: proxies limit the connections of each.
    const target = { port: Number(port), host: hostname, localAddress: '127.0.0.2' }
    const socket = connect(target, () => use(socket))
    socket.on('error', () => {})
    socket.on('close', () => setTimeout(open, 1))
  }
  for (let n = 0; n < count; n++) open()
}

/** Keeps as many WebSockets as one person may have. */
function keepSockets(use: (socket: Socket) => void): void {
  const open = async () => {
    const socket = await openSocket(url ?? '', token ?? '').catch(() => undefined)
    if (!socket) {
      setTimeout(open, 100)
      return
    }
    socket.on('error', () => {})
    socket.on('close', () => setTimeout(open, 1))
    use(socket)
  }
  for (let n = 0; n < 50; n++) void open()
}

/** Sends this, and again whenever something is answered. */
function repeat(socket: Socket, bytes: Buffer): void {
  socket.write(bytes)
  socket.on('data', () => socket.write(bytes))
}

/** Sends this as often as the connection takes it. */
function pour(socket: Socket, bytes: Buffer): void {
  socket.resume()
  const send = () => {
    if (socket.destroyed) return
    if (socket.write(bytes)) setTimeout(send, 5)
    else socket.once('drain', send)
  }
  send()
}

const GROUPS = '/api/v01/chat/groups'

/** By what somebody does. */
export const ATTACKS: Record<string, () => unknown> = {
  'connections that ask and hang up': () => {
    const asking = request('GET', '/api/v01/exams')
    keep(100, (socket) => socket.write(asking, () => socket.destroy()))
  },
  'WebSockets that hang up at once': () => {
    const upgrade = request('GET', '/api/v01/ws', '', [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ])
    keep(100, (socket) => socket.write(upgrade, () => socket.destroy()))
  },
  '300 connections, 100 requests in each packet': () => {
    const asking = Buffer.concat(Array(100).fill(request('GET', '/api/v01/exams')))
    keep(300, (socket) => pour(socket, asking))
  },
  'logins on 200 connections': () => {
    const login = post('/api/v01/auth/login', { username: 'nobody', password: 'a guess' })
    keep(200, (socket) => repeat(socket, login))
  },
  'addresses of 100 KB of dots': () => {
    const reset = post('/api/v01/account/password-reset', { email: `a@${'.'.repeat(100_000)}@` })
    keep(20, (socket) => repeat(socket, reset))
  },
  '200,000 wrong items in a list': () => {
    const group = post(GROUPS, { name: 'x', member_ids: Array(200_000).fill('x') })
    keep(20, (socket) => repeat(socket, group))
  },
  'JSON 500,000 levels deep': () => {
    const nested = request('POST', GROUPS, '['.repeat(500_000))
    keep(20, (socket) => repeat(socket, nested))
  },
  'bodies in chunks of one byte': () => {
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    const begin = request('POST', GROUPS, '', chunked)
    const crumbs = Buffer.from('1\r\nx\r\n'.repeat(10_000))
    keep(50, (socket) => {
      socket.write(begin)
      pour(socket, crumbs)
    })
  },
  '500 bodies that never end': () => {
    const part = request('POST', GROUPS, ' '.repeat(900_000)).subarray(0, 10_000)
    keep(500, (socket) => socket.write(part))
  },
  '200 readers of /openapi.json that do not read': () => {
    const asking = Buffer.concat(Array(10).fill(request('GET', '/openapi.json')))
    keep(200, (socket) => socket.pause().write(asking))
  },
  'a large notebook printed on 40 connections': () => {
    const print = request('GET', '/api/v01/notebooks/1/print')
    keep(40, (socket) => repeat(socket, print))
  },
  '1,000 objects stored over and over': () => {
    const objects = Array.from({ length: 1_000 }, (_, n) => ({ id: `o${n}`, text: 'x'.repeat(500) }))
    const sync = post('/api/v01/pages/1/sync', { objects, start_index: 0 })
    keep(20, (socket) => repeat(socket, sync))
  },
  'pictures of 25 million pixels': async () => {
    const picture = sharp({ create: { width: 5_000, height: 5_000, channels: 3, background: 'red' } })
    const form = upload('/api/v01/pages/1/assets', await picture.png().toBuffer())
    keep(20, (socket) => repeat(socket, form))
  },
  'an exam started on 50 connections': () => {
    const start = post('/api/v01/exams/1/start', {})
    keep(50, (socket) => repeat(socket, start))
  },
  'searches that match everybody, on 50 connections': () => {
    const search = request('GET', '/api/v01/chat/users?q=person')
    keep(50, (socket) => repeat(socket, search))
  },
  'searches for one word a hundred times, on 20 connections': () => {
    const search = request('GET', `/api/v01/chat/search?q=${'a%20'.repeat(99)}a`)
    keep(20, (socket) => repeat(socket, search))
  },
  '50 WebSockets, frames of 60 KB': () => {
    const large = text({ type: 'typing', conversation_id: 1, padding: 'x'.repeat(60_000) })
    keepSockets((socket) => pour(socket, large))
  },
  '50 WebSockets, 2,000 frames in each packet': () => {
    const small = Buffer.concat(Array(2_000).fill(text({ type: 'ping' })))
    keepSockets((socket) => pour(socket, small))
  },
  '50 WebSockets, control frames': () => {
    const pings = Buffer.concat(Array(5_000).fill(frame(9)))
    keepSockets((socket) => pour(socket, pings))
  },
  '50 WebSockets that resume over and over': () => {
    const resumes = Buffer.concat(Array(20).fill(text({ type: 'resume', conversations: { 1: 0 } })))
    keepSockets((socket) => pour(socket, resumes))
  },
}

if (!isMainThread && attack) void ATTACKS[attack]?.()
