import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { LRUCache } from 'lru-cache'
import type { Config } from '../settings/config.ts'
import { push as measured } from '../telemetry/metrics.ts'
import { isPublicHost, lookupPublic } from './public-addresses.ts'
import { authorizePush, encryptPush, type KeyPair, type ReceiverKeys } from './push-encryption.ts'

export interface OutgoingPush extends ReceiverKeys {
  endpoint: string
  text: string
  /** A push service keeps the newest one of a topic only: at most 32 characters of base64url. */
  topic: string
  urgency: 'normal' | 'high'
}

export interface PushOutcome {
  /** `later`: it may work another time. `gone`: nobody is there any more. `refused`: this push won't be taken. */
  state: 'taken' | 'later' | 'gone' | 'refused'
  /** undefined: there was no answer. */
  status?: number
  /** After which time a push service wants to be asked again. */
  afterMs?: number | undefined
}

export interface Push {
  /** Whether pushes may go to this address. */
  admits(endpoint: string): boolean
  /** Never throws: what a push service answers is an outcome. */
  send(push: OutgoingPush, key: KeyPair, now: number): Promise<PushOutcome>
  close(): void
}

const TTL_SECONDS = 86_400
const TIMEOUT_MS = 8_000
/** Connections to one push service. */
const MOST_CONNECTIONS = 32
/** A token of ours is valid for twelve hours and used for eleven. */
const TOKENS = { max: 1_000, ttl: 11 * 3_600_000 }

/** undefined if this service sends no pushes. */
export function createPush({ push: { subject, allowedHosts } }: Config): Push | undefined {
  if (subject === undefined) return undefined
  const options = { keepAlive: true, maxSockets: MOST_CONNECTIONS, scheduling: 'lifo' } as const
  const [agent, allowedAgent, plainAgent] = [
    new HttpsAgent(options),
    new HttpsAgent(options),
    new HttpAgent(options),
  ]
  const tokens = new LRUCache<string, string>(TOKENS)
  const isAllowed = ({ host, hostname }: URL) =>
    allowedHosts.includes(host) || allowedHosts.includes(hostname)

  const admits = (endpoint: string): boolean => {
    const url = URL.parse(endpoint)
    if (url === null || `${url.username}${url.password}` !== '') return false
    if (isAllowed(url)) return url.protocol === 'https:' || url.protocol === 'http:'
    return url.protocol === 'https:' && isPublicHost(url.hostname)
  }

  const connect = (url: URL, headers: Record<string, string | number>) => {
    const request = { method: 'POST', headers }
    if (!isAllowed(url)) return requestHttps(url, { ...request, agent, lookup: lookupPublic })
    if (url.protocol === 'https:') return requestHttps(url, { ...request, agent: allowedAgent })
    return requestHttp(url, { ...request, agent: plainAgent })
  }

  const authorize = (origin: string, key: KeyPair, now: number): string => {
    const name = `${key.publicKey} ${origin}`
    const token = tokens.get(name) ?? authorizePush(origin, subject, key, now)
    tokens.set(name, token, { noUpdateTTL: true })
    return token
  }

  async function post(push: OutgoingPush, key: KeyPair, now: number): Promise<IncomingMessage> {
    const url = new URL(push.endpoint)
    const body = encryptPush(push.text, push)
    const sending = connect(url, {
      authorization: authorize(url.origin, key, now),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      'content-length': body.length,
      ttl: TTL_SECONDS,
      topic: push.topic,
      urgency: push.urgency,
    })
    // `AbortSignal.timeout` would keep each request in memory until its time is over.
    const timer = setTimeout(() => sending.destroy(new Error('no answer in time')), TIMEOUT_MS)
    sending.on('close', () => clearTimeout(timer))
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      sending.on('response', resolve)
      sending.on('error', reject)
    })
    sending.end(body)
    return answer
  }

  return {
    admits,
    async send(push, key, now) {
      // It may have been registered when more hosts were allowed.
      const outcome = admits(push.endpoint) ? await outcomeOf(post(push, key, now), now) : REFUSED
      measured.sent.inc({ outcome: outcome.state })
      return outcome
    },
    close() {
      for (const each of [agent, allowedAgent, plainAgent]) each.destroy()
    },
  }
}

const REFUSED: PushOutcome = { state: 'refused' }

async function outcomeOf(answering: Promise<IncomingMessage>, now: number): Promise<PushOutcome> {
  try {
    const answer = await answering
    answer.on('error', () => {}).resume()
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) return { state: 'taken', status }
    if (status === 404 || status === 410) return { state: 'gone', status }
    if (status === 429 || status >= 500)
      return { state: 'later', afterMs: readRetryAfter(answer.headers['retry-after'], now), status }
    return { state: 'refused', status }
  } catch {
    // Its name, its certificate or the network is wrong: each of these may be repaired.
    return { state: 'later' }
  }
}

/** Seconds, or a date. */
function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
