import { expect, onTestFinished, test, vi } from 'vitest'
import { ProviderQueue } from '../../src/scheduling/provider-queue.ts'
import { type Issuer, withIssuer } from '../support/outside/issuer.ts'
import { APP, codeBody, somebody, withProvider } from '../support/provider-sign-in.ts'
import { type TestService, withService } from '../support/service.ts'

/** A service behind a proxy, whose clients come from any network. */
async function behindProxy() {
  const issuer = await withIssuer()
  let later = 0
  const ips = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '2001:db8:0:1::1', '2001:db8:0:1::2']
  const config = {
    ...withProvider(issuer, { redirectUris: [APP, ...ips.map(redirectOf)] }),
    trustProxy: true,
  }
  const service = await withService({ config, clock: () => Date.now() + later })
  const waitAMinute = () => {
    later += 61_000
  }
  return { issuer, service, waitAMinute }
}

/** Tells the provider, and so the test, from where a sign-in came. */
const redirectOf = (ip: string) => `org.example.app:/${ip}`

/** Sign-ins of this address, with a code that is good or junk. */
function signIns(service: TestService, issuer: Issuer, ip: string, count: number, isJunk = false) {
  return Array.from({ length: count }, async () => {
    const body = { ...codeBody(somebody(), issuer), redirect_uri: redirectOf(ip) }
    const sent = isJunk ? { ...body, code: 'junk' } : body
    const headers = { 'x-forwarded-for': ip }
    return (await service.guest().request('POST', '/api/v01/auth/oidc', sent, undefined, headers)).status
  })
}

const tokensOf = ({ seen }: Issuer) => seen.filter(({ path }) => path === '/token')

test('the provider is asked 32 times at once, 16 times for one network', async () => {
  const { issuer, service } = await behindProxy()
  issuer.held = []
  const junk = signIns(service, issuer, '192.0.2.1', 60, true)
  await expect.poll(() => issuer.held).toHaveLength(16)
  // The addresses of an IPv6 network are one.
  const others = ['2001:db8:0:1::1', '2001:db8:0:1::2'].flatMap((ip) => signIns(service, issuer, ip, 10))
  await expect.poll(() => issuer.held).toHaveLength(32)
  const { held } = issuer
  issuer.held = undefined
  for (const go of held ?? []) go()
  expect(new Set(await Promise.all(others))).toEqual(new Set([200]))
  expect(new Set(await Promise.all(junk))).toContain(401)
})

test('after ten failures a network has two places for a minute, and waits behind the others', {
  meta: { costly: 'makes many sign-ins wait' },
}, async () => {
  const { issuer, service, waitAMinute } = await behindProxy()
  await Promise.all(signIns(service, issuer, '192.0.2.1', 10, true))
  issuer.held = []
  const queued = vi.spyOn(ProviderQueue.prototype, 'run')
  onTestFinished(() => queued.mockRestore())
  const theirs = signIns(service, issuer, '192.0.2.1', 6)
  const others = [2, 3].flatMap((end) => signIns(service, issuer, `192.0.2.${end}`, 16))
  await expect.poll(() => issuer.held).toHaveLength(32)
  const late = signIns(service, issuer, '192.0.2.4', 1)
  // Those that wait have not reached the provider, so nothing but the queue can tell that all of them have come.
  await expect.poll(() => queued.mock.calls).toHaveLength(39)
  const { held } = issuer
  const before = tokensOf(issuer).length
  for (let asked = 1; asked <= 7; asked++) {
    held.shift()?.()
    await expect.poll(() => tokensOf(issuer).length).toBeGreaterThanOrEqual(before + asked)
  }
  const networks = tokensOf(issuer)
    .slice(before, before + 7)
    .map(({ body }) => body.get('redirect_uri'))
  expect(networks.slice(3)).toEqual(Array(4).fill(redirectOf('192.0.2.1')))
  issuer.held = undefined
  for (const go of held) go()
  await Promise.all([...theirs, ...others, ...late])

  waitAMinute()
  issuer.held = []
  const again = signIns(service, issuer, '192.0.2.1', 6)
  await expect.poll(() => issuer.held).toHaveLength(6)
  for (const go of issuer.held) go()
  await Promise.all(again)
})

test('who waits for 15 seconds is told to come again', {
  meta: { costly: 'makes many sign-ins wait' },
}, async () => {
  const { issuer, service } = await behindProxy()
  await Promise.all(signIns(service, issuer, '192.0.2.1', 1))
  issuer.silent = true
  // Calls end after ten seconds, so those behind the first two sixteens don't come to their turn in time.
  const codes = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const body = codeBody(somebody(), issuer)
      const { body: refusal } = await service.guest().request('POST', '/api/v01/auth/oidc', body, 503)
      return (refusal as { code: string }).code
    }),
  )
  const waited = codes.filter((code) => code === 'unavailable').length
  expect(waited).toBeGreaterThan(0)
  expect(codes.filter((code) => code === 'identity_provider_down').length).toBe(60 - waited)
})
