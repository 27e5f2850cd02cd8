import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PASSWORD } from '../support/client.ts'
import { holdLocks } from '../support/locks.ts'
import { freePort } from '../support/outside/ports.ts'
import { startService, type TestService, withService } from '../support/service.ts'

const PATH = '/api/v01/account/password-reset'
const NEW = 'another password'

let now = Date.now()
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now, config: { publicUrl: 'https://exam.example.org' } })
})
afterAll(() => service.close())

/** Every mail to this address, oldest first. */
async function mailsTo(address: string, dataDir = service.dataDir): Promise<string[]> {
  const folder = path.join(dataDir, 'mail')
  const names = await readdir(folder).catch(() => [])
  const mails = await Promise.all(names.sort().map((name) => readFile(path.join(folder, name), 'utf8')))
  return mails.filter((mail) => mail.includes(`To: ${address}`))
}

const tokenIn = (mail: string) =>
  /token=([\w-]{43})/.exec(mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[1]

/** Asks for a mail and reads its token. */
async function requestToken(email: string, count = 1): Promise<string> {
  await service.guest().post(PATH, { email }, 200)
  await expect.poll(async () => (await mailsTo(email)).length).toBe(count)
  return tokenIn((await mailsTo(email)).at(-1) as string) as string
}

/** Resolves when the mails that were asked for before have been dealt with: they go out in order. */
async function settle(): Promise<void> {
  const other = await service.person()
  await requestToken(`${other.username}@example.org`)
}

/** A mail server; while it `refuses`, it reads mails and takes none. */
function listenForMails(port: number) {
  const state = { mails: [] as string[], refused: [] as string[], refuses: false }
  const server = createServer((socket) => {
    let mail: string | undefined
    socket.on('error', () => {}).write('220 ready\r\n')
    socket.on('data', (chunk) => {
      const text = chunk.toString()
      if (mail !== undefined) {
        mail += text
        if (!mail.endsWith('\r\n.\r\n')) return
        ;(state.refuses ? state.refused : state.mails).push(mail)
        mail = undefined
        socket.write(state.refuses ? '451 later\r\n' : '250 taken\r\n')
      } else if (/^DATA/i.test(text)) {
        mail = ''
        socket.write('354 go on\r\n')
      } else socket.write(/^QUIT/i.test(text) ? '221 bye\r\n' : '250 fine\r\n')
    })
  }).listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  return state
}

const confirm = (token: string, status = 200, new_password = NEW) =>
  service.guest().post(`${PATH}/confirm`, { token, new_password }, status)

describe('a password reset', () => {
  test('answers everybody alike, and mails a link to this service to known addresses only', async () => {
    const person = await service.person()
    const email = `${person.username}@example.org`
    const known = await service.guest().request('POST', PATH, { email: email.toUpperCase() }, 200, {
      'x-forwarded-host': 'evil.example',
    })
    const unknown = await service.guest().post(PATH, { email: 'nobody@example.org' }, 200)
    expect(known.body).toEqual({ success: true, message: expect.any(String) })
    expect(unknown.body).toEqual(known.body)
    await expect.poll(async () => (await mailsTo(email)).length).toBe(1)
    const [mail = ''] = await mailsTo(email)
    expect(mail.replaceAll('=\r\n', '')).toContain('https://exam.example.org/reset_password?token')
    expect(await mailsTo('nobody@example.org')).toEqual([])
    await service.guest().post(PATH, { email: 'no address' }, 400)
  })

  test('writes mails to files that only the service can read, and stores the token hashed', async () => {
    const person = await service.person()
    const token = await requestToken(`${person.username}@example.org`)
    const folder = path.join(service.dataDir, 'mail')
    for (const name of await readdir(folder))
      expect((await stat(path.join(folder, name))).mode & 0o077).toBe(0)
    const [row] = await service.sql`select token_hash from password_resets where user_id = ${person.id}`
    expect(row?.token_hash).toMatch(/^[0-9a-f]{64}$/)
    expect(row?.token_hash).not.toContain(token)
  })

  test('sets the password once and ends every session', async () => {
    const person = await service.person()
    const browser = service.guest()
    await browser.loginOnWeb(person.username)
    const token = await requestToken(`${person.username}@example.org`)
    expect((await confirm(token)).body).toMatchObject({ success: true })
    await expect.poll(async () => (await person.get('/api/v01/auth/me')).status).toBe(401)
    await expect.poll(async () => (await browser.get('/api/v01/auth/me')).status).toBe(401)
    await service.guest().login(person.username, NEW)
    const again = await confirm(token, 400)
    expect(again.body).toMatchObject({ success: false, code: 'invalid_token' })
  })

  test('can be confirmed once, also by ten requests at once', async () => {
    const person = await service.person()
    const token = await requestToken(`${person.username}@example.org`)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        service.guest().post(`${PATH}/confirm`, { token, new_password: `${NEW} ${n}` }),
      ),
    )
    const made = answers.findIndex(({ status }) => status === 200)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9)
    await service.guest().login(person.username, `${NEW} ${made}`)
  })

  test('is valid for an hour, and a refused password does not use it up', async () => {
    const person = await service.person()
    const token = await requestToken(`${person.username}@example.org`)
    expect((await confirm(token, 400, 'short')).body.code).toBe('validation_failed')
    now += 3_599_000
    await confirm(token)
    now += 60_000
    const late = await requestToken(`${person.username}@example.org`, 2)
    now += 3_600_000
    expect((await confirm(late, 400)).body.code).toBe('invalid_token')
    for (const token of ['x', 'A'.repeat(43)]) await confirm(token, 400)
  })

  test('sends at most one mail a minute, however many requests come at once', async () => {
    const person = await service.person()
    const email = `${person.username}@example.org`
    await Promise.all(Array.from({ length: 10 }, () => service.guest().post(PATH, { email }, 200)))
    const first = await requestToken(email)
    now += 59_000
    await service.guest().post(PATH, { email }, 200)
    now += 1_000
    const second = await requestToken(email, 2)
    expect(second).not.toBe(first)
  })

  test('keeps earlier links valid when it is asked for again; using one ends the others', async () => {
    const person = await service.person()
    const email = `${person.username}@example.org`
    const tokens: string[] = []
    for (let count = 1; count <= 5; count++) {
      tokens.push(await requestToken(email, count))
      now += 60_000
    }
    const [first = '', ...others] = tokens
    const answers = await Promise.all(
      [first, first, ...others].map((token) =>
        service.guest().post(`${PATH}/confirm`, { token, new_password: NEW }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const token of tokens) await confirm(token, 400)
    const links = await service.sql`select from earlier_resets where user_id = ${person.id}`
    expect(links).toHaveLength(0)
  })

  test('keeps each link valid for its own hour, and deletes expired ones', async () => {
    const person = await service.person()
    const email = `${person.username}@example.org`
    const first = await requestToken(email)
    now += 60_000
    const second = await requestToken(email, 2)
    now += 3_540_000
    await confirm(first, 400)
    await requestToken(email, 3)
    const links = await service.sql`select from earlier_resets where user_id = ${person.id}`
    expect(links).toHaveLength(1)
    await confirm(second)
  })

  test('a new address or password ends the earlier links as well', async () => {
    const person = await service.person()
    const email = `${person.username}@example.org`
    const first = await requestToken(email)
    now += 60_000
    await requestToken(email, 2)
    await person.patch('/api/v01/account', { new_password: NEW, current_password: PASSWORD }, 200)
    await confirm(first, 400)
  })

  test('sends one mail a minute to an address, whichever accounts have it', async () => {
    const person = await service.person('one.address')
    const email = 'one.address@example.org'
    await requestToken(email)
    await person.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    await (await service.person()).patch('/api/v01/account', { email, current_password: PASSWORD }, 200)
    await service.guest().post(PATH, { email: email.toUpperCase() }, 200)
    await settle()
    expect(await mailsTo(email)).toHaveLength(1)
  })

  test('sends one mail a minute to all tagged addresses of a mailbox, and these don’t keep its own mail away', async () => {
    const owner = await service.person('one.mailbox')
    const tagged = ['a', 'b', 'c'].map((tag) => `one.mailbox+${tag}@example.org`)
    for (const email of tagged) {
      const stranger = await service.person()
      await stranger.patch('/api/v01/account', { email, current_password: PASSWORD }, 200)
      await service.guest().post(PATH, { email }, 200)
    }
    await requestToken(`${owner.username}@example.org`)
    await settle()
    expect(await mailsTo('one.mailbox+')).toHaveLength(1)
    // An address that somebody has proved to own is their own affair.
    const [email = ''] = tagged
    now += 60_000
    await confirm(await requestToken(email, 2))
    await service.guest().post(PATH, { email: 'one.mailbox+b@example.org' }, 200)
    await requestToken(email, 3)
  })

  test('a mail that could not be sent does not block the next one', async () => {
    const mailing = await withService({ config: { smtpUrl: 'smtp://127.0.0.1:1' } })
    const person = await mailing.person()
    const email = `${person.username}@example.org`
    const lastAsked = async () => (await mailing.sql`select token_hash from password_resets`)[0]?.token_hash
    await mailing.guest().post(PATH, { email }, 200)
    await expect.poll(lastAsked).toBeDefined()
    const first = await lastAsked()
    await expect
      .poll(async () => {
        await mailing.guest().post(PATH, { email }, 200)
        return lastAsked()
      })
      .not.toBe(first)
  })

  test('mails of one address that can’t be sent leave room for others', {
    meta: { costly: 'asks for more mails than may wait' },
  }, async () => {
    const mailing = await withService({ config: { smtpUrl: 'smtp://127.0.0.1:1' } })
    const person = await mailing.person()
    await mailing.sql`
      insert into users (username, email, full_name, role)
      select 'flood' || n, 'flood' || n || '@example.org', 'Flood', 'user' from generate_series(1, 400) n`
    for (let n = 1; n <= 400; n++)
      await askFrom('127.0.0.2', mailing.urls[0] as string, `flood${n}@example.org`)
    await mailing.guest().post(PATH, { email: `${person.username}@example.org` }, 200)
    const tries = () => mailing.sql`select from password_resets where user_id = ${person.id}`
    await expect.poll(async () => (await tries()).length).toBe(1)
  })

  test('a mail that failed is sent again, and is marked as automatic', async () => {
    const port = await freePort()
    const mailing = await withService({ config: { smtpUrl: `smtp://127.0.0.1:${port}` } })
    const person = await mailing.person()
    await mailing.guest().post(PATH, { email: `${person.username}@example.org` }, 200)
    await expect.poll(async () => (await mailing.sql`select from password_resets`).length).toBe(1)
    const { mails } = listenForMails(port)
    await expect.poll(() => mails.length).toBe(1)
    expect(mails[0]).toMatch(/^auto-submitted: auto-generated\r$/im)
  })

  test('a mail that failed is not sent again to an address that the account has left, and its link is void', async () => {
    const port = await freePort()
    const server = listenForMails(port)
    server.refuses = true
    const mailing = await withService({ config: { smtpUrl: `smtp://127.0.0.1:${port}` } })
    const [person, other] = [await mailing.person(), await mailing.person()]
    for (const [n, { username }] of [person, other].entries()) {
      await mailing.guest().post(PATH, { email: `${username}@example.org` }, 200)
      await expect.poll(() => server.refused.length).toBeGreaterThan(n)
    }
    const email = `new.${person.username}@example.org`
    await person.patch('/api/v01/account', { email, current_password: PASSWORD }, 200)
    server.refuses = false
    // The other one's next try comes after this one's.
    const sent = (to: string) => server.mails.some((mail) => mail.includes(`To: ${to}`))
    await expect.poll(() => sent(`${other.username}@example.org`), { timeout: 20_000 }).toBe(true)
    expect(server.mails).toHaveLength(1)
    // Whoever refuses a mail may have read it.
    const token = tokenIn(server.refused[0] as string)
    await mailing.guest().post(`${PATH}/confirm`, { token, new_password: NEW }, 400)
  })

  test('requests beyond the many that are under way are dropped, with the same answer', async () => {
    const busy = await withService({ config: { publicUrl: 'https://exam.example.org' } })
    const [dropped, mailed] = [await busy.person(), await busy.person()]
    const ask = (email: string) => busy.guest().post(PATH, { email }, 200)
    const answers = await busy.sql.begin(async (tx) => {
      // The lock keeps every request from finding its account.
      await tx`lock table users in access exclusive mode`
      const many = await Promise.all(Array.from({ length: 300 }, (_, n) => ask(`nobody${n}@example.org`)))
      return [...many, await ask(`${dropped.username}@example.org`)]
    })
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1)
    const address = `${mailed.username}@example.org`
    await expect
      .poll(async () => {
        await ask(address)
        return (await mailsTo(address, busy.dataDir)).length
      })
      .toBe(1)
    expect(await mailsTo(`${dropped.username}@example.org`, busy.dataDir)).toEqual([])
  })

  test('a mail holds no text that a user chose, and goes to one address', async () => {
    const person = await service.person()
    await person.patch('/api/v01/account', { full_name: 'Visit https://evil.example NOW' }, 200)
    await requestToken(`${person.username}@example.org`)
    const [mail = ''] = await mailsTo(`${person.username}@example.org`)
    expect(mail).not.toContain('evil.example')
    expect(mail.replace(`To: ${person.username}@example.org`, '')).not.toContain(person.username)
  })

  test.each([
    'x,victim@target.example',
    'x;victim@target.example',
    '<victim@target.example>',
    'x <victim@target.example>',
    '"x"@target.example',
    '"victim@target.example,"@example.org',
    '@relay.example:victim@target.example',
    '@a.example,@b.example:victim@target.example',
    'victim%target.example@example.org',
    'target.example!victim@example.org',
    'group:victim@target.example;',
    'victim@target.example(comment)',
    'victim(comment)@target.example',
    'a@b@target.example',
    'victim@target.example\nBcc: x@target.example',
    'vic tim@target.example',
    'victim@[127.0.0.1]',
    'victim\\@target.example',
    'vict\u0130m@target.example',
    'victim@t\u00e4rget.example',
    'victim@target.example,',
    'victim@localhost',
    'victim@',
    '@target.example',
    `${'x'.repeat(250)}@target.example`,
  ])('the address %j is refused wherever one is taken', async (email) => {
    const guest = service.guest()
    const person = await service.person()
    const named = { username: person.username, email }
    const asked = { ...named, current_access: 'user', requested_access: 'admin', user_reason: 'x' }
    for (const [caller, method, path, body] of [
      [guest, 'POST', PATH, { email }],
      [guest, 'POST', '/api/v01/auth/register', { username: 'mail.test', email, password: PASSWORD }],
      [guest, 'POST', '/create_account', { username: 'mail.test', email, password: PASSWORD }],
      [person, 'PATCH', '/api/v01/account', { email, current_password: PASSWORD }],
      [person, 'POST', '/api/v01/account/access-requests', asked],
      [person, 'POST', '/api/v01/account/access-requests/eligibility', named],
    ] as const) {
      expect((await caller.request(method, path, body, 400)).body, path).toMatchObject({
        code: 'validation_failed',
        errors: [{ path: '/email', message: expect.not.stringMatching(/pattern|\^/) }],
      })
    }
  })

  test('a link ends when the address or the password changes', async () => {
    for (const change of [{ email: 'elsewhere@example.org' }, { new_password: 'changed meanwhile' }]) {
      const person = await service.person()
      const token = await requestToken(`${person.username}@example.org`)
      await person.patch('/api/v01/account', { ...change, current_password: PASSWORD }, 200)
      await confirm(token, 400)
    }
  })

  test('works in a browser without scripts, from the mail to the new password', async () => {
    const person = await service.person()
    const email = `${person.username}@example.org`
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    const guest = service.guest()
    const asked = await guest.request(
      'POST',
      '/forgot_password',
      new URLSearchParams({ email }).toString(),
      200,
      form,
    )
    expect(asked.body).toContain('role="status"')
    await expect.poll(async () => (await mailsTo(email)).length).toBe(1)
    const token = tokenIn((await mailsTo(email))[0] as string) as string
    expect((await guest.get(`/reset_password?token=${token}`, 200)).body).toContain(`value="${token}"`)
    const fields = new URLSearchParams({ token, new_password: NEW }).toString()
    const done = await guest.request('POST', '/reset_password', fields, 303, form)
    expect(done.headers.get('location')).toBe('/login')
    const again = await guest.request('POST', '/reset_password', fields, 400, form)
    expect(again.body).toContain('role="alert"')
    await service.guest().login(person.username, NEW)
  })

  test('goes out over SMTP where a server is set', async () => {
    const smtp = await startSmtp()
    const mailing = await withService({
      config: { smtpUrl: smtp.url, mailFrom: 'Exams <exams@example.org>' },
    })
    const person = await mailing.person()
    await mailing.guest().post(PATH, { email: `${person.username}@example.org` }, 200)
    const mail = await smtp.mail
    expect(mail).toContain('MAIL FROM:<exams@example.org>')
    expect(mail).toContain(`RCPT TO:<${person.username}@example.org>`)
    const token = tokenIn(mail) as string
    expect(mail.replaceAll('=\r\n', '')).toContain(`${mailing.urls[0]}/reset_password`)
    await mailing.guest().post(`${PATH}/confirm`, { token, new_password: NEW }, 200)
    expect(await mailsTo('', mailing.dataDir)).toEqual([])
  })
})

/** A mail server that takes one mail. `mail` is everything that the client sent. */
async function startSmtp(): Promise<{ url: string; mail: Promise<string> }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const mail = new Promise<string>((resolve) => {
    server.on('connection', (socket) => {
      let said = ''
      let inData = false
      socket.setEncoding('utf8').on('error', () => {})
      socket.write('220 test ESMTP\r\n')
      socket.on('data', (text: string) => {
        said += text
        if (inData) {
          if (!said.endsWith('\r\n.\r\n')) return
          inData = false
          socket.write('250 taken\r\n')
          resolve(said)
        } else if (text.startsWith('DATA')) {
          inData = true
          socket.write('354 go on\r\n')
        } else if (text.startsWith('QUIT')) socket.end('221 bye\r\n')
        else socket.write('250 test\r\n')
      })
    })
  })
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, mail }
}

test('a flood of requests from one address drops nobody else’s', async () => {
  const person = await service.person()
  const address = `${person.username}@example.org`
  // So that all of them are under way at once.
  const release = await holdLocks(service.sql, (tx) => tx`lock table users in access exclusive mode`)
  const { hostname, port } = new URL(service.urls[0] as string)
  const body = JSON.stringify({ email: 'nobody@example.org' })
  const request = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  let answered = 0
  const sockets = Array.from({ length: 400 }, () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' })
    socket.on('data', (chunk) => {
      answered += chunk.toString().match(/HTTP\/1.1 200 /g)?.length ?? 0
    })
    socket.write(request)
    return socket
  })
  try {
    await expect.poll(() => answered).toBe(400)
    await service.guest().post(PATH, { email: address }, 200)
  } finally {
    await release()
    for (const socket of sockets) socket.destroy()
  }
  await expect.poll(() => mailsTo(address)).toHaveLength(1)
})

/** Asks for a mail from another address of this machine. */
async function askFrom(localAddress: string, url: string, email: string): Promise<void> {
  const body = JSON.stringify({ email })
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const asked = request(url + PATH, { method: 'POST', localAddress, headers }).end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  response.resume()
  await once(response, 'end')
}
