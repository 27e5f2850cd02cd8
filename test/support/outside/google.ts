import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export const CLIENT_ID = 'our-app.apps.googleusercontent.com'

/** An identity provider on loopback: serves its keys as Google does, and signs ID tokens. */
export interface Provider {
  certsUrl: string
  /** How often the keys were fetched. */
  fetches: number
  /** Whether it leaves questions unanswered. */
  silent: boolean
  /** `claims` replace those of a valid token; undefined removes one. */
  sign(claims: Record<string, unknown>, header?: Record<string, unknown>, key?: KeyObject): string
  close(): Promise<void>
}

export async function startProvider({ format = 'jwk' }: { format?: 'jwk' | 'pem' } = {}): Promise<Provider> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const kid = 'key-1'
  const keys =
    format === 'jwk'
      ? { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] }
      : { [kid]: publicKey.export({ type: 'spki', format: 'pem' }) }
  const server = createServer((_request, response) => {
    provider.fetches += 1
    if (provider.silent) return
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=600' })
    response.end(JSON.stringify(keys))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const provider: Provider = {
    certsUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/certs`,
    fetches: 0,
    silent: false,
    sign(claims, header = {}, key = privateKey) {
      const now = Math.floor(Date.now() / 1_000)
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
      const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid, ...header })}.${encode({
        iss: 'https://accounts.google.com',
        aud: CLIENT_ID,
        sub: '1234567890',
        email: 'somebody@example.org',
        email_verified: true,
        name: 'Some Body',
        iat: now - 5,
        exp: now + 3_000,
        ...claims,
      })}`
      return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return provider
}

/** A provider that ends with the test that asked for it. */
export async function withProvider(options?: { format?: 'jwk' | 'pem' }): Promise<Provider> {
  const provider = await startProvider(options)
  onTestFinished(() => provider.close())
  return provider
}
