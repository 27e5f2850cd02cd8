import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Config } from '../../src/settings/config.ts'
import type { OidcSettings } from '../../src/settings/oidc-settings.ts'
import type { Client } from './client.ts'
import { CLIENT_ID, CLIENT_SECRET, type Issuer } from './outside/issuer.ts'
import type { SharedService } from './service.ts'

/** Where the provider sends people of the tests' app back to. */
export const APP = 'org.example.app:/back'

/** The settings of a service whose people sign in there. */
export function withProvider(
  { url }: Pick<Issuer, 'url'>,
  settings: Partial<OidcSettings> = {},
): Partial<Config> {
  return {
    oidc: {
      issuer: url,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      name: 'Example School',
      scopes: 'openid email profile',
      admins: undefined,
      redirectUris: [APP],
      emailDomains: [],
      only: false,
      ...settings,
    },
  }
}

/** The claims of somebody whose address is verified. */
export function somebody(claims: Record<string, unknown> = {}) {
  const name = `s${randomUUID().slice(0, 8)}`
  return {
    sub: randomUUID(),
    email: `${name}@example.org`,
    email_verified: true,
    name: 'Ada Byron',
    ...claims,
  }
}

/** A browser that keeps what the service sets. */
export class Browser {
  readonly client: Client
  readonly cookies = new Map<string, string>()
  constructor(client: Client) {
    this.client = client
  }
  get(path: string, headers: Record<string, string> = {}) {
    return this.#ask('GET', path, undefined, headers)
  }
  /** Sends a form of a page. */
  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers }
    return this.#ask('POST', path, new URLSearchParams(fields).toString(), form)
  }
  async #ask(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
  ) {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await this.client.request(method, path, body, undefined, { cookie, ...headers })
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';', 1)[0] ?? '').split('=')
      if (/Max-Age=0|1970/.test(set)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }
  /** Begins a sign-in; what the provider is asked. */
  async start(next?: string) {
    const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`
    const answer = await this.get(`/auth/oidc/start${query}`)
    expect(answer.status).toBe(302)
    const asked = new URL(answer.headers.get('location') ?? '')
    return {
      asked,
      state: asked.searchParams.get('state') ?? '',
      nonce: asked.searchParams.get('nonce') ?? '',
    }
  }
  back(query: Record<string, string>) {
    return this.get(`/auth/oidc/callback?${new URLSearchParams(query)}`)
  }
  /** The whole way, as somebody with these claims. */
  async signIn(claims: Record<string, unknown>, by: Issuer, next?: string) {
    const { state, nonce } = await this.start(next)
    return this.back({ state, code: by.giveCode(by.idToken({ nonce, ...claims })) })
  }
  /** The tokens that a page gets for the cookie. */
  async exchange(status = 200) {
    const headers = { cookie: `session=${this.cookies.get('session')}` }
    const { body } = await this.client.request('POST', '/api/v01/auth/exchange', {}, status, headers)
    return body.data
  }
}

/** The code on a page that tells a failure. */
export function codeOf(page: { body: unknown }): string | undefined {
  return /role="alert">.*\((\w+)\)/.exec(String(page.body))?.[1]
}

/** The body of an app's sign-in. */
export function codeBody(claims: Record<string, unknown>, by: Issuer) {
  const nonce = randomUUID()
  const code = by.giveCode(by.idToken({ nonce, ...claims }))
  return { code, code_verifier: 'v'.repeat(43), redirect_uri: APP, nonce }
}

/** Somebody who has signed in with an app. */
export async function signInByApp(claims: Record<string, unknown>, service: SharedService, by: Issuer) {
  const client = service.guest()
  const { body } = await client.post('/api/v01/auth/oidc', codeBody(claims, by), 200)
  client.accessToken = body.data.access_token
  client.refreshToken = body.data.refresh_token
  client.id = body.data.user.id
  client.username = body.data.user.username
  return client
}
