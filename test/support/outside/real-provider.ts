import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Provider from 'oidc-provider'
import { CLIENT_ID } from './issuer.ts'

/** An OpenID Connect provider of somebody else's making (npm's oidc-provider), on loopback. */
export interface RealProvider {
  url: string
  /** What it knows of people. */
  people: Map<string, Record<string, unknown>>
  /** Who signs in next; undefined: they refuse. */
  who: string | undefined
  /** Registers these nodes as its client. `isPushed`: it must be asked by itself first. */
  open(nodes: string[], secret?: string, isPushed?: boolean): void
  close(): Promise<void>
}

export async function startRealProvider(): Promise<RealProvider> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const real: RealProvider = {
    url,
    people: new Map(),
    who: undefined,
    open(nodes, secret, isPushed = false) {
      const provider = new Provider(url, configure(real, nodes, secret, isPushed))
      const serve = provider.callback()
      server.removeAllListeners('request')
      server.on('request', (asked, answer) => {
        if (asked.url?.startsWith('/interaction/')) void interact(provider, real, asked, answer)
        else serve(asked, answer)
      })
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return real
}

function configure(
  { people }: RealProvider,
  nodes: string[],
  secret: string | undefined,
  isPushed: boolean,
): object {
  const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' })
  const client = {
    client_id: CLIENT_ID,
    ...(secret === undefined ? { token_endpoint_auth_method: 'none' } : { client_secret: secret }),
    redirect_uris: nodes.map((node) => `${node}/auth/oidc/callback`),
    post_logout_redirect_uris: nodes.map((node) => `${node}/login`),
    backchannel_logout_uri: `${nodes[0]}/auth/oidc/logout`,
    backchannel_logout_session_required: true,
  }
  return {
    clients: [client],
    jwks: { keys: [{ ...key, kid: 'first', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of the tests'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: isPushed },
    },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'groups'],
    },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people.get(id) }),
    }),
    // By default it calls no address of this machine.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
      globalThis.fetch(url, options),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  }
}

/** In place of a page with a form: whoever is next signs in and agrees. */
async function interact(
  provider: Provider,
  { who }: RealProvider,
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(asked, answer)
  if (who === undefined) {
    await provider.interactionFinished(asked, answer, { error: 'access_denied' })
    return
  }
  const grant = new provider.Grant({ accountId: who, clientId: params.client_id })
  grant.addOIDCScope(params.scope)
  const grantId = await grant.save()
  await provider.interactionFinished(asked, answer, { login: { accountId: who }, consent: { grantId } })
}

/** A browser at the provider, with its cookies there. */
export class Visit {
  readonly #cookies = new Map<string, string>()

  /** Follows the provider's own redirects; the address elsewhere that it leads to, or the page. */
  async go(address: string, form?: Record<string, string>): Promise<{ left?: string; page: string }> {
    const url = new URL(address)
    const asked = request(url, {
      method: form ? 'POST' : 'GET',
      headers: {
        cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    })
    asked.end(form && new URLSearchParams(form).toString())
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      this.#cookies.set(name, value)
    }
    const page = await text(answer)
    const { location } = answer.headers
    if (location === undefined) return { page }
    const next = new URL(location, url)
    return next.origin === url.origin ? this.go(next.href) : { left: next.href, page }
  }
}
