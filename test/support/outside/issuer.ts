import { createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export const CLIENT_ID = 'exams'
export const CLIENT_SECRET = 'a secret of the tests/with ?signs'
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export interface Signer {
  kid: string
  privateKey: KeyObject
  publicKey: KeyObject
}

/** An OpenID Connect provider on loopback that answers whatever a test wants, right or wrong. */
export interface Issuer {
  url: string
  /** What it describes itself as; `undefined` takes something away. */
  metadata: Record<string, unknown>
  /** The key that signs now; the others are published too. */
  signer: Signer
  published: Signer[]
  /** Whether it leaves requests unanswered. */
  silent: boolean
  /** While it is a list, whoever asks for tokens waits until their part of it is called. */
  held: (() => void)[] | undefined
  /** Instead of its answers. */
  status: number | undefined
  /** What each path was sent. */
  seen: { path: string; body: URLSearchParams; authorization: string | undefined }[]
  userInfo: Record<string, unknown> | undefined
  /** A code that can be exchanged once, for this ID token. */
  giveCode(idToken: string): string
  /** `claims` replace those of a valid ID token; undefined removes one. */
  idToken(claims: Record<string, unknown>, header?: Record<string, unknown>, key?: KeyObject): string
  logoutToken(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  close(): Promise<void>
}

export function makeSigner(): Signer {
  return { kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2_048 }) }
}

export async function startIssuer(): Promise<Issuer> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signer = makeSigner()
  const codes = new Map<string, string>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', url)
    const body = new URLSearchParams(await text(request))
    issuer.seen.push({ path: pathname, body, authorization: request.headers.authorization })
    if (issuer.silent) return
    if (pathname === '/token' && issuer.held) await new Promise<void>((go) => issuer.held?.push(go))
    const [status, said] = issuer.status === undefined ? describe(pathname, body) : [issuer.status, {}]
    const headers = status === 302 ? { location: `${url}/elsewhere` } : {}
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(said))
  }

  function describe(path: string, body: URLSearchParams): [status: number, said: object] {
    if (path === '/.well-known/openid-configuration') return [200, issuer.metadata]
    if (path === '/keys') return [200, { keys: issuer.published.map(toJwk) }]
    if (path === '/userinfo' && issuer.userInfo) return [200, issuer.userInfo]
    const code = body.get('code') ?? ''
    const idToken = codes.get(code)
    if (path !== '/token' || idToken === undefined) return [400, { error: 'invalid_grant' }]
    codes.delete(code)
    return [200, { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token: idToken }]
  }

  const issuer: Issuer = {
    url,
    metadata: {
      issuer: url,
      authorization_endpoint: `${url}/authorize?tenant=one`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      end_session_endpoint: `${url}/leave`,
      id_token_signing_alg_values_supported: ['RS256'],
    },
    signer,
    published: [signer],
    silent: false,
    held: undefined,
    status: undefined,
    seen: [],
    userInfo: undefined,
    giveCode(idToken) {
      const code = randomUUID()
      codes.set(code, idToken)
      return code
    },
    idToken(claims, header = {}, key = issuer.signer.privateKey) {
      const said = { iss: url, aud: CLIENT_ID, sub: randomUUID(), ...times(3_000), ...claims }
      return sign({ alg: 'RS256', typ: 'JWT', kid: issuer.signer.kid, ...header }, said, key)
    },
    logoutToken(claims, header = {}) {
      const events = { [LOGOUT_EVENT]: {} }
      const said = { iss: url, aud: CLIENT_ID, jti: randomUUID(), events, ...times(120), ...claims }
      const { kid, privateKey } = issuer.signer
      return sign({ alg: 'RS256', typ: 'logout+jwt', kid, ...header }, said, privateKey)
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return issuer
}

/** One that ends with the test that asked for it. */
export async function withIssuer(): Promise<Issuer> {
  const issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  return issuer
}

function times(seconds: number) {
  const now = Math.floor(Date.now() / 1_000)
  return { iat: now - 5, exp: now + seconds }
}

function toJwk({ kid, publicKey }: Signer) {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }
}

function sign(header: Record<string, unknown>, claims: object, key: KeyObject): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${header.alg === 'none' ? '' : createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`
}
