import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foldCase } from '../../src/formats/case-fold.ts'
import { type Client, PASSWORD } from '../support/client.ts'
import { sharedService, startService, type TestService } from '../support/service.ts'

let now = Date.now()
let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2, clock: () => now, config: { trustProxy: true } })
})
afterAll(() => service.close())

function tryLogin(
  client: Client,
  username: string,
  password: string,
  ip = '192.0.2.1',
  path = '/api/v01/auth/login',
) {
  return client.request('POST', path, { username, password }, undefined, { 'x-forwarded-for': ip })
}

describe('lockout', () => {
  test('three failures lock for 15 minutes, for the right password too, at that IP address', async () => {
    const { username } = await service.person()
    const guest = service.guest()
    for (const remaining of [2, 1, 0]) {
      const { status, body } = await tryLogin(guest, username, 'wrong')
      expect(status).toBe(401)
      expect(body).toEqual({
        status: 'error',
        code: 'invalid_credentials',
        message: `Invalid credentials. ${remaining} attempts remaining.`,
      })
    }
    now += 60_000
    for (const password of ['wrong', PASSWORD, PASSWORD]) {
      const locked = await tryLogin(guest, username, password)
      expect(locked.status).toBe(429)
      expect(locked.body).toMatchObject({ status: 'error', code: 'locked_out', retry_after: 14 * 60 })
      expect(locked.headers.get('retry-after')).toBe(String(14 * 60))
    }
    expect((await tryLogin(guest, username, PASSWORD, '192.0.2.2')).status).toBe(200)
    now += 14 * 60_000 - 1
    expect((await tryLogin(guest, username, PASSWORD)).status).toBe(429)
    now += 1
    const again = await tryLogin(guest, username, 'wrong')
    expect(again.body.message).toBe('Invalid credentials. 2 attempts remaining.')
  })

  test('look-alike letters neither name another account nor give further tries', async () => {
    const { username, ip } = { username: 'ikelvins', ip: '192.0.2.40' }
    const person = await service.person(username)
    const guest = service.guest()
    for (let count = 0; count < 3; count++) await tryLogin(guest, username, 'wrong', ip)
    for (const name of [
      '\u0130kelvins',
      '\u0131kelvins',
      'i\u212Aelvins',
      'ikelvin\u017F',
      'i\u0307kelvins',
      'ＩKELVINS',
    ]) {
      for (const at of ['', '@example.org'])
        expect((await tryLogin(guest, name + at, PASSWORD, ip)).status, name).toBe(401)
    }
    for (const name of ['IKELVINS', ' iKelvins ', 'ikelvins\u3000'])
      expect((await tryLogin(guest, name, PASSWORD, ip)).status, name).toBe(429)
    expect((await tryLogin(guest, 'IKelvins@EXAMPLE.org', PASSWORD, ip)).status).toBe(200)
    await person.get('/api/v01/auth/me', 200)
  })

  test('JavaScript and SQL fold the case of every character alike', async () => {
    const points = Array.from({ length: 0x3000 }, (_, at) => at + 1).filter(
      (at) => at < 0xd800 || at > 0xdfff,
    )
    const text = String.fromCodePoint(...points, 0x1f600, 0xff21, 0x10400)
    const [row] = await service.sql`select lower(${text}::text collate "C") as folded`
    expect(row?.folded).toBe(foldCase(text))
    expect(foldCase('AZaz@\u00c4\u0130\u212a')).toBe('azaz@\u00c4\u0130\u212a')
  })

  test('wrong current passwords count over both nodes, and lock password changes and logins', async () => {
    const person = await service.person()
    const ip = '192.0.2.41'
    const change = (current_password: string, node = 0) =>
      person
        .at(service.urls[node] as string)
        .request(
          'PATCH',
          '/api/v01/account',
          { email: 'elsewhere@example.net', current_password },
          undefined,
          { 'x-forwarded-for': ip },
        )
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => change(`wrong ${at}`, at % 2)))
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(9)
    const locked = await change(PASSWORD)
    expect(locked).toMatchObject({
      status: 429,
      body: { code: 'locked_out', retry_after: expect.any(Number) },
    })
    expect(locked.headers.get('retry-after')).toBe(String(locked.body.retry_after))
    expect((await tryLogin(person, person.username.toUpperCase(), PASSWORD, ip)).status).toBe(429)
    now += 15 * 60_000
    await tryLogin(person, person.username, 'wrong', ip)
    await tryLogin(person, person.username, 'wrong', ip)
    expect((await change('wrong')).status).toBe(403)
    expect((await change('wrong')).status).toBe(429)
    now += 15 * 60_000
    expect((await change('wrong')).status).toBe(403)
    expect((await change(PASSWORD)).status).toBe(200)
    expect((await tryLogin(person, person.username, 'wrong', ip)).body.message).toMatch(/ 2 attempts/)
  })

  test.each([
    ['203.0.113.20', ['203.0.113.20:1001', '203.0.113.20:2002']],
    ['2001:db8:1:2::7', ['[2001:db8:1:2::77]', '[2001:db8:1:2::8%eth0]:4711', '2001:db8:1:2::9%25']],
    // What is no address counts as that of the proxy, which sends it.
    [
      '',
      [
        'junk',
        'x'.repeat(8_000),
        '08.8.8.8',
        '"[2001:db8:1:3::77]:4711"',
        '203.0.113.300',
        '203.0.113.21:123456',
      ],
    ],
  ])('an address that a proxy writes in other ways is the same one: %s', async (plain, written) => {
    const { username } = await service.person()
    const guest = service.guest()
    const spellings = Array.from({ length: 3 }, (_, at) => written[at % written.length] as string)
    for (const ip of spellings) expect((await tryLogin(guest, username, 'wrong', ip)).status).toBe(401)
    for (const ip of [plain, ...written])
      expect((await tryLogin(guest, username, PASSWORD, ip)).status, ip.slice(0, 40)).toBe(429)
  })

  test('nothing but an address is stored of one that a proxy writes', async () => {
    const { sql } = service
    const person = await service.person()
    const stored = async (ip: string) => {
      await sql`delete from sessions where user_id = ${person.id}`
      await tryLogin(person, person.username, PASSWORD, ip)
      return (await sql`select ip from sessions where user_id = ${person.id}`)[0]?.ip
    }
    expect(await stored('198.51.100.4:80')).toBe('198.51.100.4')
    expect(await stored('[2001:db8::4]:80')).toBe('2001:db8::4')
    expect(await stored('fe80::1%eth0')).toBe('fe80::1')
    for (const junk of ['y'.repeat(8_000), `fe80::1%${'0'.repeat(5_000)}`, '1.2.3'])
      expect(await stored(junk)).toMatch(/^(::ffff:)?127\.0\.0\.1$/)
  })

  test('a successful login resets the count', async () => {
    const { username } = await service.person()
    const guest = service.guest()
    for (let round = 0; round < 3; round++) {
      await tryLogin(guest, username, 'wrong')
      expect((await tryLogin(guest, username, 'wrong')).body.message).toMatch(/ 1 attempts remaining\.$/)
      expect((await tryLogin(guest, username, PASSWORD)).status).toBe(200)
    }
  })

  test('an unknown identifier is answered and counted like a known one', async () => {
    const guest = service.guest()
    const statuses = []
    for (const remaining of [2, 1, 0]) {
      const { status, body } = await tryLogin(guest, 'nobody.at.all', 'wrong')
      statuses.push(status)
      expect(body.message).toBe(`Invalid credentials. ${remaining} attempts remaining.`)
    }
    statuses.push((await tryLogin(guest, 'Nobody.At.All', 'wrong')).status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })

  test('failures are counted together over all login routes, both nodes and any case', async () => {
    const person = await service.person()
    const [one, other] = [service.guest(0), service.guest(1)]
    const name = person.username
    expect((await tryLogin(one, name, 'wrong')).status).toBe(401)
    const web = await tryLogin(other, name.toUpperCase(), 'wrong', undefined, '/login')
    expect(web.body).toEqual({
      status: 'error',
      success: false,
      code: 'invalid_credentials',
      message: 'Invalid credentials. 1 attempts remaining.',
    })
    expect((await tryLogin(one, name, 'wrong', undefined, '/admin/login')).status).toBe(401)
    for (const path of ['/api/v01/auth/login', '/login', '/admin/login'])
      for (const client of [one, other])
        expect((await tryLogin(client, name, PASSWORD, undefined, path)).status).toBe(429)
  })

  test('of 12 wrong passwords at once over two nodes, three are 401 and nine 429', async () => {
    const { username } = await service.person()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => tryLogin(service.guest(n % 2), username, 'wrong')),
    )
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(9)
    const messages = answers.filter(({ status }) => status === 401).map(({ body }) => body.message)
    expect(messages.sort()).toEqual(
      [0, 1, 2].map((remaining) => `Invalid credentials. ${remaining} attempts remaining.`),
    )
  })

  test('12 right passwords at once all pass', async () => {
    const { username } = await service.person()
    await tryLogin(service.guest(), username, 'wrong')
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => tryLogin(service.guest(n % 2), username, PASSWORD)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  })

  test('the addresses of one IPv6 network count as one, and so do both forms of an IPv4 address', async () => {
    const { username } = await service.person()
    const guest = service.guest()
    for (const ip of ['2001:db8:0:7::1', '2001:DB8:0:7:2:3:4:5', '2001:db8:0:7:ffff:ffff:ffff:ffff'])
      expect((await tryLogin(guest, username, 'wrong', ip)).status).toBe(401)
    expect((await tryLogin(guest, username, PASSWORD, '2001:db8:0:7::9')).status).toBe(429)
    expect((await tryLogin(guest, username, PASSWORD, '2001:db8:0:8::1')).status).toBe(200)
    for (const ip of ['192.0.2.50', '::ffff:192.0.2.50', '::ffff:c000:232'])
      expect((await tryLogin(guest, username, 'wrong', ip)).status).toBe(401)
    expect((await tryLogin(guest, username, PASSWORD, '192.0.2.50')).status).toBe(429)
    expect((await tryLogin(guest, username, PASSWORD, '::ffff:192.0.2.51')).status).toBe(200)
    // Its owner sees where a session really comes from.
    const person = await service.person()
    const login = await tryLogin(person, person.username, PASSWORD, '2001:db8:0:8::1')
    expect(login.status).toBe(200)
    const { body } = await person.get('/api/v01/account/sessions', 200)
    expect(body.sessions.map(({ ip }) => ip)).toContain('2001:db8:0:8::1')
  })

  test('without a trusted proxy, X-Forwarded-For does not count as another address', async () => {
    const plain = await sharedService()
    const { username } = await plain.person()
    const statuses = []
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'])
      statuses.push((await tryLogin(plain.guest(), username, 'wrong', ip)).status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })
})
