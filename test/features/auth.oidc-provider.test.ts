import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { CLIENT_SECRET } from '../support/outside/issuer.ts'
import { type RealProvider, startRealProvider, Visit } from '../support/outside/real-provider.ts'
import { Browser, codeOf, withProvider } from '../support/provider-sign-in.ts'
import { startService, type TestService, withService } from '../support/service.ts'

let provider: RealProvider
let service: TestService
let later = 0
beforeAll(async () => {
  provider = await startRealProvider()
  const admins = { claim: 'groups', value: 'teachers' }
  const clock = () => Date.now() + later
  service = await startService({ nodes: 2, config: withProvider(provider, { admins }), clock })
  provider.people.set('ada', {
    email: 'ada@school.example',
    email_verified: true,
    name: 'Ada Byron',
    preferred_username: 'ada',
    groups: ['teachers'],
  })
  provider.people.set('kim', { email: 'kim@school.example', email_verified: false })
})
afterAll(async () => {
  await service.close()
  await provider.close()
})

/** It begins anew, and nobody remembers what it said before. */
beforeEach(() => {
  provider.open(service.urls, CLIENT_SECRET)
  later += 61_000
})

/** Signs in at a node as `who`, by way of the provider; where the service leads to. */
async function signIn(browser: Browser, who: string | undefined, visit = new Visit()) {
  provider.who = who
  const { asked } = await browser.start('/desk/exams/3')
  const { left = '' } = await visit.go(asked.href)
  return browser.get(left.slice(browser.client.url.length))
}

test('people sign in by a provider as it is, refuse, and come back to the same account', async () => {
  const ada = new Browser(service.guest())
  const back = await signIn(ada, 'ada')
  expect([back.status, back.headers.get('location')]).toEqual([302, '/desk/exams/3'])
  const { user } = await ada.exchange()
  expect(user).toMatchObject({ username: 'ada', full_name: 'Ada Byron', role: 'user,admin' })
  const elsewhere = new Browser(service.guest(1))
  await signIn(elsewhere, 'ada')
  expect((await elsewhere.exchange()).user.id).toBe(user.id)
  const refused = await signIn(new Browser(service.guest()), undefined)
  expect([refused.status, codeOf(refused)]).toEqual([403, 'oidc_denied'])
  expect(codeOf(await signIn(new Browser(service.guest()), 'kim'))).toBe('email_unverified')
})

test('signing out at the provider signs out on every node within a second', async () => {
  const visit = new Visit()
  const [here, there] = [new Browser(service.guest()), new Browser(service.guest(1))]
  await signIn(here, 'ada', visit)
  await signIn(there, 'ada', visit)
  const phone = new Browser(service.guest())
  await signIn(phone, 'ada')
  const tokens = [await here.exchange(), await there.exchange()].map(({ access_token }) => access_token)
  const headers = { accept: 'application/json', cookie: `session=${here.cookies.get('session')}` }
  const { body } = await here.client.request('POST', '/logout', {}, 200, headers)
  const asked = await visit.go((body as { redirect_url: string }).redirect_url)
  const [, action = ''] = /action="([^"]+)"/.exec(asked.page) ?? []
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(asked.page) ?? []
  const { left } = await visit.go(new URL(action, provider.url).href, { xsrf, logout: 'yes' })
  expect(left).toBe(`${service.urls[0]}/login`)
  for (const [node, token] of [0, 1].flatMap((node) => tokens.map((token) => [node, token] as const))) {
    const client = service.guest(node)
    client.accessToken = token
    await expect.poll(async () => (await client.get('/api/v01/auth/me')).status, { timeout: 1_000 }).toBe(401)
  }
})

test('a public client needs no secret', async () => {
  const open = await withService({ config: withProvider(provider, { clientSecret: undefined }) })
  provider.open(open.urls)
  const ada = new Browser(open.guest())
  expect((await signIn(ada, 'ada')).headers.get('location')).toBe('/desk/exams/3')
})

test('a provider that wants to be asked by itself first is', async () => {
  provider.open(service.urls, CLIENT_SECRET, true)
  const ada = new Browser(service.guest())
  const { asked } = await ada.start()
  expect([...asked.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  expect((await signIn(new Browser(service.guest(1)), 'ada')).headers.get('location')).toBe('/desk/exams/3')
})

test('who has confirmed an address is linked, whatever becomes of the provider’s keys', async () => {
  const person = await service.person()
  await service.sql`update users set email_verified = true where id = ${person.id}`
  provider.people.set('lin', { email: `${person.username}@example.org`, email_verified: true })
  const lin = new Browser(service.guest())
  await signIn(lin, 'lin')
  expect((await lin.exchange()).user.id).toBe(person.id)
  await person.get('/api/v01/auth/me', 200)

  // It begins anew, with other keys.
  provider.open(service.urls, CLIENT_SECRET)
  expect(codeOf(await signIn(new Browser(service.guest()), 'lin'))).toBe('oidc_failed')
  later += 61_000
  const again = new Browser(service.guest())
  await signIn(again, 'lin')
  expect((await again.exchange()).user.id).toBe(person.id)
})

test('while the provider is away nobody signs in by it, and whoever is signed in stays', async () => {
  const gone = await startRealProvider()
  onTestFinished(() => gone.close())
  const alone = await withService({ config: withProvider(gone), clock: () => Date.now() + later })
  gone.open(alone.urls, CLIENT_SECRET)
  const person = await alone.person()
  await new Browser(alone.guest()).start()
  await gone.close()
  later += 61_000
  const page = await new Browser(alone.guest()).get('/auth/oidc/start')
  expect([page.status, codeOf(page)]).toEqual([503, 'identity_provider_down'])
  await person.get('/api/v01/auth/me', 200)
})
