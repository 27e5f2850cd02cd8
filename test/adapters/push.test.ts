import { lookup } from 'node:dns/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isPublicAddress, lookupPublic } from '../../src/adapters/public-addresses.ts'
import { createPush, type Push } from '../../src/adapters/push.ts'
import { areReceiverKeys, createKeyPair, encryptPush } from '../../src/adapters/push-encryption.ts'
import { type Config, readConfig } from '../../src/settings/config.ts'
import { startNameServer } from '../support/outside/name-server.ts'

/** RFC 8291, section 5 and appendix A. */
const RFC = {
  text: 'When I grow up, I want to be a watermelon',
  receiver: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl' +
    '7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

describe('the encryption', () => {
  test('gives what RFC 8291 shows', () => {
    const [privateKey, salt] = [RFC.privateKey, RFC.salt].map((value) => Buffer.from(value, 'base64url'))
    const body = encryptPush(RFC.text, RFC.receiver, privateKey, salt)
    expect(body.toString('base64url')).toBe(RFC.body)
  })

  test('differs each time', () => {
    const [one, other] = [encryptPush('a', RFC.receiver), encryptPush('a', RFC.receiver)]
    expect(one.equals(other)).toBe(false)
  })

  test('takes keys of browsers alone', () => {
    expect(areReceiverKeys(RFC.receiver)).toBe(true)
    const padded = { p256dh: `${RFC.receiver.p256dh}=`, auth: `${RFC.receiver.auth}==` }
    expect(areReceiverKeys(padded)).toBe(true)
    const { p256dh, auth } = RFC.receiver
    const offTheCurve = Buffer.from(p256dh, 'base64url').fill(7, 40).toString('base64url')
    for (const wrong of ['', 'a b', auth, p256dh.slice(0, -2), offTheCurve])
      expect(areReceiverKeys({ p256dh: wrong, auth }), wrong).toBe(false)
    for (const wrong of ['', 'ä', 'BTBZ', p256dh])
      expect(areReceiverKeys({ p256dh, auth: wrong }), wrong).toBe(false)
  })
})

test('public addresses are those of hosts on the internet', () => {
  for (const address of ['8.8.8.8', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
    expect(isPublicAddress(address), address).toBe(true)
  const others = [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
    ...['192.168.1.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::7f00:1',
      'fc00::1',
      'fd12::1',
      'fe80::1',
    ],
    ...['ff02::1', '2001:db8::1', '2001::1', '2002:7f00:1::1'],
  ]
  for (const address of others) expect(isPublicAddress(address), address).toBe(false)
})

describe('names', () => {
  const look = (name: string, all: boolean) =>
    new Promise((resolve) => lookupPublic(name, { all }, (error, found) => resolve(error?.message ?? found)))

  test('are resolved to public addresses alone', async () => {
    const names = await startNameServer({
      'push.example.org': ['10.0.0.1', '8.8.8.8', '127.0.0.1'],
      'inside.example.org': ['10.0.0.1', '127.0.0.1'],
      localhost: ['127.0.0.1'],
    })
    onTestFinished(names.close)
    expect(await look('push.example.org', true)).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(await look('push.example.org', false)).toBe('8.8.8.8')
    for (const name of ['inside.example.org', 'localhost'])
      for (const all of [true, false]) expect(await look(name, all)).toBe('the host has no public address')
  })

  test('whose server never answers keep no other name waiting', async () => {
    const names = await startNameServer({ 'push.example.org': ['8.8.8.8'] })
    onTestFinished(names.close)
    const silent = Array.from({ length: 20 }, (_, index) => `silent${index}.example.org`)
    for (const name of silent) void look(name, true)
    await expect.poll(() => silent.every((name) => names.asked.has(name))).toBe(true)
    const began = performance.now()
    expect(await look('push.example.org', false)).toBe('8.8.8.8')
    // As whatever else of the process connects to a name.
    expect((await lookup('localhost')).address).toMatch(/^(127[.]|::1$)/)
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})

function pushFor(allowedHosts: string[] = []): Push {
  const config: Config = { ...readConfig({}), push: { subject: 'mailto:admin@example.org', allowedHosts } }
  const push = createPush(config) as Push
  onTestFinished(() => push.close())
  return push
}

test('endpoints are https addresses on the internet, or those that the operator allows', () => {
  const push = pushFor(['push.school.example', '127.0.0.1:8080'])
  for (const endpoint of [
    'https://updates.push.services.example/wpush/v2/abc',
    'https://8.8.8.8/x',
    'https://push.school.example:8443/up',
    'http://push.school.example/up',
    'http://127.0.0.1:8080/up',
  ])
    expect(push.admits(endpoint), endpoint).toBe(true)
  for (const endpoint of [
    '',
    'no address',
    'http://updates.push.services.example/',
    'https://user:secret@updates.push.services.example/',
    'ftp://push.school.example/',
    'https://127.0.0.1/',
    'https://127.0.0.1:8081/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://10.0.0.1/',
    'javascript:alert(1)',
  ])
    expect(push.admits(endpoint), endpoint).toBe(false)
})

describe('sending', () => {
  const toward = (endpoint: string) =>
    ({ endpoint, ...RFC.receiver, text: '{}', topic: 'c1', urgency: 'high' }) as const
  const key = createKeyPair()

  test('never connects to this machine, whatever its name is', async () => {
    let requests = 0
    const server = createServer((_request, response) => {
      requests += 1
      response.end()
    })
    server.on('connection', () => {
      requests += 1
    })
    await new Promise<void>((resolve) => server.listen(0, () => resolve()))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const push = pushFor()
    for (const host of ['localhost', 'localhost.', '127.0.0.1'])
      expect(await push.send(toward(`https://${host}:${port}/`), key, Date.now())).toEqual({
        state: 'refused',
      })
    expect(requests).toBe(0)
  })

  test('follows no redirect, and reads when to come back', async () => {
    const answers = [
      { status: 302, headers: { location: '/elsewhere' }, outcome: { state: 'refused', status: 302 } },
      { status: 201, headers: {}, outcome: { state: 'taken', status: 201 } },
      { status: 410, headers: {}, outcome: { state: 'gone', status: 410 } },
      { status: 404, headers: {}, outcome: { state: 'gone', status: 404 } },
      { status: 400, headers: {}, outcome: { state: 'refused', status: 400 } },
      {
        status: 429,
        headers: { 'retry-after': '7' },
        outcome: { state: 'later', status: 429, afterMs: 7_000 },
      },
      { status: 503, headers: { 'retry-after': 'soon' }, outcome: { state: 'later', status: 503 } },
    ]
    let asked = 0
    const server = createServer((_request, response) => {
      const { status, headers } = answers[asked++] as (typeof answers)[number]
      response.writeHead(status, headers).end('x'.repeat(1_000))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    onTestFinished(() => void server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const push = pushFor([host])
    for (const { outcome } of answers)
      expect(await push.send(toward(`http://${host}/`), key, Date.now())).toEqual(outcome)
    expect(asked).toBe(answers.length)
  })
})
