import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD } from '../support/client.ts'
import { CLIENT_ID, type Provider, startProvider } from '../support/outside/google.ts'
import { mailedTokens } from '../support/password-resets.ts'
import { startService, type TestService } from '../support/service.ts'

const RESET = '/api/v01/account/password-reset'
const THEIR_PASSWORD = 'what the attacker knows'

let provider: Provider
let service: TestService
beforeAll(async () => {
  provider = await startProvider()
  service = await startService({
    nodes: 2,
    config: { googleClientIds: [CLIENT_ID], googleCertsUrl: provider.certsUrl },
  })
})
afterAll(async () => {
  await service.close()
  await provider.close()
})

const addressOf = (name: string) => `${name}@example.org`

/** Resolves when a reset that is asked for now has been mailed; earlier ones go out before it. */
async function settle(): Promise<void> {
  const other = await service.person()
  await other.post(RESET, { email: addressOf(other.username) }, 200)
  await expect.poll(() => mailedTokens(service, addressOf(other.username))).toHaveLength(1)
}

/** Signs in by Google; the account's id. */
async function comeByGoogle(claims: { sub: string; email: string }, said = {}): Promise<number> {
  const id_token = provider.sign(claims)
  const { body } = await service.guest().post('/api/v01/auth/google', { id_token, ...said }, 200)
  return body.data.user.id
}

/** The link that proves the address of somebody whom Google knows by these claims, and whom it is asked about. */
async function proofFor(claims: { sub: string; email: string }): Promise<string> {
  await service.guest().post('/api/v01/auth/google', { id_token: provider.sign(claims) }, 409)
  const tokens = () => mailedTokens(service, claims.email, 'confirm_address')
  await expect.poll(tokens).toHaveLength(1)
  return (await tokens())[0] ?? ''
}

/** Uses every link that the attacker was mailed, then lets the victim in by the provider. */
async function expectNoTakeover(attacker: string, victim: string): Promise<void> {
  for (const token of await mailedTokens(service, addressOf(attacker)))
    await service.guest().post(`${RESET}/confirm`, { token, new_password: THEIR_PASSWORD })
  const id = await comeByGoogle({ sub: randomUUID(), email: addressOf(victim) }, { anew: true })
  for (const password of [PASSWORD, THEIR_PASSWORD])
    for (const username of [attacker, addressOf(victim)]) {
      const login = await service.guest().post('/api/v01/auth/login', { username, password })
      expect(login.status === 200 && login.body.data.user.id === id).toBe(false)
    }
  for (const token of await mailedTokens(service, addressOf(attacker)))
    await service.guest().post(`${RESET}/confirm`, { token, new_password: THEIR_PASSWORD }, 400)
}

test('a link asked for at one’s own address never opens an account that has moved to another one, in 14 races', async () => {
  for (let round = 0; round < 14; round++) {
    const attacker = await service.person()
    const victim = `victim${randomUUID().slice(0, 8)}`
    await Promise.all([
      attacker.patch('/api/v01/account', { email: addressOf(victim), current_password: PASSWORD }, 200),
      setTimeout(round * 8).then(() =>
        service.guest(1).post(RESET, { email: addressOf(attacker.username) }, 200),
      ),
    ])
    await settle()
    await expectNoTakeover(attacker.username, victim)
  }
})

test('nor if the address changes just before the link is stored', async () => {
  const attacker = await service.person()
  const victim = `victim${randomUUID().slice(0, 8)}`
  await service.sql.begin(async (tx) => {
    await tx`select id from users where id = ${attacker.id} for update`
    await service.guest().post(RESET, { email: addressOf(attacker.username) }, 200)
    // The account was found, and whoever stores the link waits for its row.
    await expect
      .poll(async () => (await service.sql`select from pg_locks where not granted`).length)
      .toBeGreaterThan(0)
    await tx`update users set email = ${addressOf(victim)}, email_verified = false where id = ${attacker.id}`
  })
  await settle()
  expect(await mailedTokens(service, addressOf(attacker.username))).toEqual([])
  await expectNoTakeover(attacker.username, victim)
})

test('nor if the link was mailed before', async () => {
  const attacker = await service.person()
  const victim = `victim${randomUUID().slice(0, 8)}`
  await attacker.post(RESET, { email: addressOf(attacker.username) }, 200)
  await settle()
  // A node of 1.0.0 moves the account without voiding the link.
  await service.sql`
    update users set email = ${addressOf(victim)}, email_verified = false where id = ${attacker.id}`
  for (const token of await mailedTokens(service, addressOf(attacker.username)))
    await service.guest().post(`${RESET}/confirm`, { token, new_password: THEIR_PASSWORD }, 400)
  await expectNoTakeover(attacker.username, victim)
})

test('the owner who proves an address ends every way into the account that moved there: links, password, sessions, identity', async () => {
  const sub = randomUUID()
  const first = `first${randomUUID().slice(0, 8)}`
  const mine = provider.sign({ sub, email: addressOf(first) })
  const { body } = await service.guest().post('/api/v01/auth/google', { id_token: mine }, 200)
  const victim = `victim${randomUUID().slice(0, 8)}`
  await service.sql`
    update users set email = ${addressOf(victim)}, email_verified = false where id = ${body.data.user.id}`
  const theirs = { sub: randomUUID(), email: addressOf(victim) }
  await service.guest().request('POST', '/confirm_address', { token: await proofFor(theirs) }, 200)
  expect(await comeByGoogle(theirs)).toBe(body.data.user.id)
  const refresh = { refresh_token: body.data.refresh_token }
  await service.guest().post('/api/v01/auth/refresh', refresh, 401)
  expect(await comeByGoogle({ sub, email: addressOf(first) })).not.toBe(body.data.user.id)
})

/** Calls this while somebody waits for the account's row, each for the others before it; they go on when it is done. */
async function whileHeld(userId: number, ask: (waiting: (count: number) => Promise<void>) => Promise<void>) {
  await service.sql.begin(async (tx) => {
    await tx`select id from users where id = ${userId} for update`
    await ask((count) => expect.poll(service.lockWaits).toHaveLength(count))
  })
}

test('what had been asked for before the owner came, and waited, changes nothing of what is theirs then', async () => {
  for (const change of [{ new_password: THEIR_PASSWORD }, { email: addressOf('elsewhere') }, undefined]) {
    const [name, victim] = ['attacker', 'victim'].map((each) => `${each}${randomUUID().slice(0, 8)}`)
    const mine = provider.sign({ sub: randomUUID(), email: addressOf(name as string) })
    const { body } = await service.guest().post('/api/v01/auth/google', { id_token: mine }, 200)
    const attacker = service.guest(1)
    attacker.accessToken = body.data.access_token
    // Somebody who came by the provider has no password to give.
    await attacker.patch('/api/v01/account', { email: addressOf(victim as string) }, 200)
    const theirs = { sub: randomUUID(), email: addressOf(victim as string) }
    const token = await proofFor(theirs)
    const asked: Promise<{ status: number }>[] = []
    await whileHeld(body.data.user.id, async (waiting) => {
      asked.push(service.guest().request('POST', '/confirm_address', { token }))
      await waiting(1)
      asked.push(
        change
          ? attacker.patch('/api/v01/account', change)
          : attacker.request('DELETE', '/api/v01/account', { confirm: 'DELETE' }),
      )
      await waiting(2)
    })
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 401])
    expect(await comeByGoogle(theirs)).toBe(body.data.user.id)
    const credentials = { username: addressOf(victim as string), password: THEIR_PASSWORD }
    await service.guest().post('/api/v01/auth/login', credentials, 401)
  }
})
