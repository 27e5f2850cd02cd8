import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD } from '../support/client.ts'
import { PushService } from '../support/outside/push-service.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

let outside: PushService
let service: TestService
beforeAll(async () => {
  outside = await PushService.start()
  const push = { subject: 'mailto:admin@example.org', allowedHosts: [outside.host] }
  service = await startService({ config: { push, publicUrl: 'https://exam.example.org' } })
})
afterAll(async () => {
  await service.close()
  await outside.close()
})

const asking = (language: string) => ({ 'accept-language': language, accept: 'text/html' })
const page = async (address: string, headers: Record<string, string> = {}, status = 200) =>
  String((await service.guest().request('GET', address, undefined, status, headers)).body)
/** What a page says. */
const textsOf = (html: string) =>
  [...html.replace(/[\s\S]*<body>/, '').matchAll(/>([^<]*\p{L}{2}[^<]*)</gu)].map(([, text = '']) =>
    text.trim(),
  )

/** The newest mail to this address, with its headers. */
async function mailTo(address: string): Promise<string> {
  const folder = path.join(service.dataDir, 'mail')
  const find = async () => {
    const names = await readdir(folder).catch(() => [])
    const mails = await Promise.all(names.sort().map((name) => readFile(path.join(folder, name))))
    return mails.map(readMail).findLast((mail) => mail.includes(`To: ${address}`)) ?? ''
  }
  await expect.poll(find).not.toBe('')
  return find()
}

function readMail(raw: Buffer): string {
  const [head = '', ...body] = raw.toString('latin1').split('\r\n\r\n')
  const text = body.join('\r\n\r\n')
  if (/base64/i.test(head)) return `${head}\n\n${Buffer.from(text, 'base64').toString()}`
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return `${head}\n\n${Buffer.from(bytes, 'latin1').toString()}`
}

describe('pages', () => {
  test.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'de', 'ltr', 'Passwort vergessen?'],
    ['es-MX', 'es', 'ltr', '¿Has olvidado tu contraseña?'],
    ['fr;q=0.9,hi;q=0.8', 'hi', 'ltr', 'पासवर्ड भूल गए?'],
    ['ar', 'ar', 'rtl', 'هل نسيت كلمة المرور؟'],
    ['fr', 'en', 'ltr', 'Forgot your password?'],
    [';;,q=,*;q=0', 'en', 'ltr', 'Forgot your password?'],
  ])('for %s are in %s', async (accepted, lang, dir, link) => {
    const html = await page('/login', asking(accepted))
    expect(html).toContain(`<html lang="${lang}" dir="${dir}">`)
    expect(html).toContain(link)
  })

  test('are in the person’s own language from the sign-in to the sign-out, whatever the browser asks for', async () => {
    const person = await service.person()
    await person.patch('/api/v01/push/settings', { language: 'hi' }, 200)
    const browser = service.guest()
    const signedIn = await browser.loginOnWeb(person.username)
    const cookies = signedIn.headers.getSetCookie()
    expect(cookies).toContainEqual(
      expect.stringMatching(/^language=hi; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    )
    browser.cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
    const asked = await browser.request('GET', '/logout', undefined, 200, asking('de'))
    expect(String(asked.body)).toContain('<html lang="hi"')
    const left = await browser.post('/logout', {}, 200)
    expect(left.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^language=;/))
  })

  test('say what went wrong, also of fields, in that language; JSON stays English', async () => {
    const send = (path: string, body: string) =>
      service.guest().request('POST', path, body, undefined, {
        ...asking('de'),
        'content-type': 'application/x-www-form-urlencoded',
      })
    const refused = await send('/login', 'username=nobody&password=wrong+password')
    expect(refused.status).toBe(401)
    expect(refused.body).toContain('role="alert">Benutzername oder Passwort stimmt nicht')
    const short = await send('/create_account', 'username=x&email=x%40example.org&password=short')
    expect(short.status).toBe(400)
    expect(short.body).toContain('Benutzername: 3 bis 32 Buchstaben von a bis z')
    const body = { username: 'nobody', password: PASSWORD }
    const api = await service.guest().request('POST', '/api/v01/auth/login', body, 401, asking('de'))
    expect(api.body).toMatchObject({
      code: 'invalid_credentials',
      message: expect.stringMatching(/^Invalid credentials/),
    })
  })

  test.each([
    '/login',
    '/admin/login',
    '/create_account',
    '/forgot_password',
    '/reset_password',
    '/confirm_address',
    '/privacy',
  ])('%s says nothing past the catalogues', async (address) => {
    const texts = textsOf(await page(`${address}?lang=en-XA`)).filter((text) => text !== 'Exam Practice')
    expect(texts.length).toBeGreaterThan(2)
    expect(texts.filter((text) => !/^\[.*\]$/s.test(text))).toEqual([])
  })
})

describe('mails', () => {
  test('that reset a password are in the account’s language, else in that of whoever asks', async () => {
    const [one, other] = [await service.person(), await service.person()]
    await one.patch('/api/v01/push/settings', { language: 'es' }, 200)
    for (const { username } of [one, other])
      await service
        .guest()
        .request(
          'POST',
          '/api/v01/account/password-reset',
          { email: `${username}@example.org` },
          200,
          asking('de'),
        )
    expect(await mailTo(`${one.username}@example.org`)).toContain('Si no has sido tú')
    const german = await mailTo(`${other.username}@example.org`)
    expect(german).toMatch(/Subject: .*Neues_Passwort/)
    expect(german).toContain('innerhalb einer Stunde')
    expect(german).toMatch(/https:\/\/exam\.example\.org\/reset_password\?token=[\w-]{43}/)
  })

  test('that invite to a class are in the language of whoever asks, unless their reader has one', async () => {
    const admin = await service.admin()
    const reader = await service.person()
    await reader.patch('/api/v01/push/settings', { language: 'ar' }, 200)
    const made = await admin.post('/api/v01/admin/classes', { name: 'Algebra' }, 201)
    const emails = [`${reader.username}@example.org`, 'a.stranger@example.org']
    const address = `/api/v01/classes/${made.body.class.id}/members`
    await admin.request('POST', address, { emails }, 200, asking('de'))
    expect(await mailTo('a.stranger@example.org')).toContain('innerhalb von 14 Tagen')
    expect(await mailTo(emails[0] as string)).toContain('خلال 14 يومًا')
  })
})

test('a push is in the person’s language, else in that of the device', async () => {
  const { alice, bob, conversationId: conversation } = await connectedPair(service)
  const device = outside.device()
  const register = (language: string) =>
    bob.request('POST', '/api/v01/push/subscriptions', device.subscription, 201, asking(language))
  await register('de')
  await alice.send(conversation, 'one')
  await expect.poll(() => device.received.at(-1)?.text.body).toBe('Neue Nachricht')
  // Arabic has a form for two of something.
  await bob.patch('/api/v01/push/settings', { language: 'ar' }, 200)
  await alice.send(conversation, 'two')
  await expect.poll(() => device.received.at(-1)?.text.body).toBe('رسالتان جديدتان')
  await bob.patch('/api/v01/push/settings', { language: null }, 200)
  await register('hi')
  await alice.send(conversation, 'three')
  await expect.poll(() => device.received.at(-1)?.text.body).toBe('3 नए संदेश')
})
