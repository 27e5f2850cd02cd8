import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '../../schemas/languages.ts'
import { startService, type TestService } from '../support/service.ts'

const DIST = path.resolve(import.meta.dirname, '../../desk/dist')
/**
 * Most compressed bytes that are fetched before the desk can be used. What draws texts, formulas and charts loads when
 * needed.
 */
const FIRST_LOAD_BYTES = 60 * 1024
/** The desk may have to be built first. */
const BUILD_TIMEOUT_MS = 60_000

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
}

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

test(
  'the desk is built when it is first needed, and served under a security policy without exceptions',
  async () => {
    const guest = service.guest()
    await expect
      .poll(async () => (await guest.get('/desk/exams')).status, { timeout: BUILD_TIMEOUT_MS })
      .toBe(200)
    const page = await guest.get('/desk/exams', 200)
    expect(page.body).toContain('<div id="desk">')
    expect(page.body).not.toMatch(/<script(?![^>]*src=)|\son\w+=|<style|style=/)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("style-src 'self'")
    expect(policy).not.toContain('unsafe')
    for (const [, address] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(address).toMatch(/^\/(desk|login)/)
      await guest.get(address, 200)
    }
    const script = /src="([^"]+\.js)"/.exec(page.body)?.[1] ?? ''
    const { headers } = await guest.request('GET', script, undefined, 200, { 'accept-encoding': 'br' })
    expect(headers.get('cache-control')).toContain('immutable')
    const worker = await guest.get('/desk/worker.js', 200)
    expect(worker.headers.get('content-type')).toContain('javascript')
    expect(worker.headers.get('service-worker-allowed')).toBe('/')
    // An update is seen at once.
    expect(worker.headers.get('cache-control')).toBe('no-store')
    expect(worker.headers.get('content-security-policy')).toBe(policy)
    const manifest = await guest.get('/desk/app.webmanifest', 200)
    expect(manifest.headers.get('content-type')).toContain('application/manifest+json')
    await guest.get('/desk/assets/nothing.js', 404)
    await guest.get('/desk/assets/..%2f..%2fpackage.json', 400)
  },
  BUILD_TIMEOUT_MS * 2,
)

test('a web session can be exchanged for tokens on our own pages, until it ends', async () => {
  const person = await service.person()
  const guest = service.guest()
  await guest.post('/api/v01/auth/exchange', {}, 401)
  await guest.loginOnWeb(person.username)
  const { data } = (await guest.post('/api/v01/auth/exchange', {}, 200)).body
  expect(data).toMatchObject({ token_type: 'Bearer', user: { id: person.id } })
  await guest.request('POST', '/api/v01/auth/exchange', {}, 403, { origin: 'https://evil.example' })
  await guest.post('/logout', {}, 200)
  await guest.post('/api/v01/auth/exchange', {}, 401)
})

test('signing in leads back to pages of the desk only', async () => {
  const { username } = await service.person()
  for (const [next, place] of [
    ['/desk/chat/7', '/desk/chat/7'],
    ['/exam/3', '/exam/3'],
    ['//evil.example', '/'],
    ['/desk/../../evil', '/'],
    ['https://evil.example/desk/', '/'],
  ]) {
    const form = new URLSearchParams({ username, password: 'a password of the tests', next: next as string })
    const { headers } = await service.guest().request('POST', '/login', form.toString(), 303, {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html',
    })
    expect([next, headers.get('location')]).toEqual([next, place])
  }
})

test.each(LANGUAGES)('in %s the desk can be used after a small first load', async (language) => {
  const manifest: Record<string, Chunk> = JSON.parse(
    await readFile(path.join(DIST, '.vite/manifest.json'), 'utf8'),
  )
  const files = new Set<string>()
  const collect = (name: string) => {
    const chunk = manifest[name]
    if (!chunk || files.has(chunk.file)) return
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    for (const each of chunk.imports ?? []) collect(each)
  }
  collect('index.html')
  collect('src/views/exams/list.tsx')
  expect([...files].join()).not.toMatch(/katex/i)
  let size = 0
  for (const file of files) {
    const inLanguage = path.join(DIST, file.replace('/', `/${language}/`))
    const content = await readFile(inLanguage).catch(() => readFile(path.join(DIST, file)))
    size += gzipSync(content).length
  }
  expect(size).toBeGreaterThan(10_000)
  expect(size).toBeLessThan(FIRST_LOAD_BYTES)
})

test('what reads formulas loads with the first of them, and is small', async () => {
  const manifest: Record<string, Chunk & { isDynamicEntry?: boolean }> = JSON.parse(
    await readFile(path.join(DIST, '.vite/manifest.json'), 'utf8'),
  )
  const reading = manifest['src/components/questions/formula-reading.ts']
  expect(reading?.isDynamicEntry).toBe(true)
  const content = await readFile(path.join(DIST, reading?.file ?? ''))
  expect(content.length).toBeGreaterThan(5_000)
  // Not compressed.
  expect(content.length).toBeLessThan(35 * 1024)
})
