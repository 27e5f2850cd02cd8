/**
 * The pictures of the docs: `npx node scripts/screenshots.ts http://127.0.0.1:3000` against a fresh demo service.
 * Needs Chromium and the development dependencies.
 */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { newPage, openBrowser } from '../test/support/browser.ts'

const FOLDER = path.resolve(import.meta.dirname, '../docs/images')
const DESKTOP = { width: 1200, height: 760 }
const PHONE = { width: 390, height: 780 }

const url = process.argv[2] ?? 'http://127.0.0.1:3000'
const browser = await openBrowser()
await mkdir(FOLDER, { recursive: true })
await populate()
try {
  const [alice, bob, admin] = await Promise.all(['alice', 'bob', 'admin'].map(enter))
  if (!alice || !bob || !admin) throw new Error('nobody came in')
  await shootEverywhere(alice, 'exams', '/desk/exams')
  await takeExam(alice)
  await talk(alice, bob)
  await shootEverywhere(alice, 'chat', '/desk/chat/1')
  await shootEverywhere(admin, 'question', '/desk/teach/questions/1/1')
  await shootEverywhere(admin, 'analytics', '/desk/teach/analytics')
  await shootEverywhere(admin, 'items', '/desk/teach/exams/1/items')
  await previewRegrade(admin)
  await tryImport(admin)
  await drawNotes(alice)
  for (const language of ['ar', 'en-XA']) await shootIn(alice, language)
} finally {
  await browser.close()
}

/** People who have taken the exam, some better and some worse. */
async function populate(): Promise<void> {
  const call = async (path: string, body?: object, token?: string) => {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: pictures take what comes
    return (await response.json()) as any
  }
  const admin = await call('/api/v01/auth/login', { username: 'admin', password: 'practice-demo' })
  const { questions } = await call('/api/v01/admin/questions?exam_id=1', undefined, admin.data.access_token)
  for (const [place, name] of ['Mira', 'Jonas', 'Priya', 'Kofi', 'Yuki', 'Sara', 'Tomás', 'Léa'].entries()) {
    const username = `person${place}`
    const password = 'of the pictures'
    const person = { username, password, email: `${username}@example.org`, full_name: name }
    const token = (await call('/api/v01/auth/register', person)).data.access_token
    await call('/api/v01/exams/1/start', {}, token)
    const answers: Record<string, string | string[]> = {}
    for (const [index, { id, question_type: type, correct_answer: key }] of questions.entries()) {
      const luck = (place * 7 + index * 5) % 11
      if (luck === 10) continue
      const isRight = luck > 8 - place
      if (type === 'NUMERIC') answers[id] = isRight ? key : '7'
      else if (type === 'MSQ') answers[id] = isRight ? key.split(',') : ['A', 'B']
      else answers[id] = isRight ? key : ('ABCD'[luck % 4] ?? 'A')
    }
    await call('/api/v01/exams/1/submit', { answers }, token)
  }
}

async function enter(username: string): Promise<Page> {
  const { page } = await newPage(browser, url, { viewport: DESKTOP, serviceWorkers: 'block' })
  await page.goto('/login')
  if (username === 'alice') await shoot(page, 'sign-in')
  await page.getByRole('button', { name: username }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  return page
}

async function takeExam(page: Page): Promise<void> {
  await page.goto('/desk/exams/1')
  await page.getByRole('button', { name: /Start the exam|Go on/ }).click()
  await page.locator('.katex').first().waitFor()
  for (const keys of ['bn', 'an', 'mn']) for (const key of keys) await page.keyboard.press(key)
  await page.getByText('All answers saved').waitFor()
  await shootHere(page, 'taking')
  await page.getByRole('button', { name: 'Hand in' }).click()
  await page.getByRole('button', { name: 'Hand in now' }).click()
  await page.getByRole('link', { name: 'Review the answers' }).click()
  await page.locator('.katex').first().waitFor()
  await shootHere(page, 'result')
}

async function talk(alice: Page, bob: Page): Promise<void> {
  await bob.goto('/desk/chat/1')
  await alice.goto('/desk/chat/1')
  for (const [page, text] of [
    [alice, 'Did you get the one with the ball?'],
    [bob, 'Yes: $h = \\frac{v^2}{2g}$, so 20 m'],
    [alice, 'Of course. Thank you!'],
  ] as const) {
    await page.getByLabel(/^Message to/).fill(text)
    await page.getByLabel(/^Message to/).press('Enter')
    for (const each of [alice, bob])
      await each
        .locator('.message.sent', { hasText: text.slice(0, 3) })
        .last()
        .waitFor()
  }
}

async function previewRegrade(page: Page): Promise<void> {
  await page.goto('/desk/teach/exams/1/corrections')
  await page.getByLabel('Correction', { exact: true }).selectOption('credit_all')
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByRole('button', { name: 'Apply' }).waitFor()
  await shootHere(page, 'regrade')
}

async function tryImport(page: Page): Promise<void> {
  await page.goto('/desk/teach/exams/1/import')
  const aiken = [
    'Which of these is a scalar?',
    'A. Force',
    'B. Mass',
    'ANSWER: B',
    '',
    'What is missing here?',
    'A. This',
    'ANSWER: D',
  ].join('\n')
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'questions.txt', mimeType: 'text/plain', buffer: Buffer.from(aiken) })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.notice').waitFor()
  await page.locator('details').click()
  await shootHere(page, 'import')
}

async function drawNotes(page: Page): Promise<void> {
  await page.goto('/desk/notes')
  await page.getByRole('button', { name: 'New notebook' }).click()
  await page.getByLabel('Title').fill('Waves and oscillations')
  await page.getByRole('button', { name: 'Create' }).click()
  const paper = page.locator('svg.paper')
  const box = await paper.boundingBox()
  if (!box) throw new Error('there is no paper')
  for (const [color, height] of [
    ['Green', 60],
    ['Blue', 30],
  ] as const) {
    await page.getByRole('button', { name: color }).click()
    await page.mouse.move(box.x + 60, box.y + 220)
    await page.mouse.down()
    for (let x = 60; x < 640; x += 4)
      await page.mouse.move(box.x + x, box.y + 220 - height * Math.sin((x - 60) / 40))
    await page.mouse.up()
  }
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await paper.click({ position: { x: 60, y: 90 } })
  await page.getByLabel('Text to insert').fill('A mass on a spring, and one with a damper')
  await page.getByRole('button', { name: 'Insert', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await shootHere(page, 'notes')
}

async function shootEverywhere(page: Page, name: string, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.getByText('sending…').waitFor({ state: 'detached' })
  await shootHere(page, name)
}

/** What is mirrored, and what has no room for longer texts or is in no catalogue. */
async function shootIn(page: Page, language: string): Promise<void> {
  for (const [name, address] of [
    ['exams', '/desk/exams'],
    ['account', '/desk/account'],
  ] as const) {
    await page.goto(`${address}?lang=${language}`)
    await page.locator('h1').first().waitFor()
    await page.waitForLoadState('networkidle')
    await shoot(page, `${name}-${language}`)
    await page.setViewportSize(PHONE)
    await shoot(page, `${name}-${language}-phone`)
    await page.setViewportSize(DESKTOP)
  }
}

async function shootHere(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await shoot(page, `${name}-light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot(page, `${name}-dark`)
  await page.setViewportSize(PHONE)
  await shoot(page, `${name}-dark-phone`)
  await page.emulateMedia({ colorScheme: 'light' })
  await shoot(page, `${name}-phone`)
  await page.setViewportSize(DESKTOP)
}

async function shoot(page: Page, name: string): Promise<void> {
  const picture = await page.screenshot()
  await sharp(picture)
    .png({ palette: true, colours: 96, effort: 10 })
    .toFile(path.join(FOLDER, `${name}.png`))
}
