import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sweepDiscardedFiles } from '../../src/features/uploads/discarded-uploads.ts'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { startProxy } from '../support/outside/proxy.ts'
import { createDatabase, startService, type TestService, withService } from '../support/service.ts'

const CATEGORIES = '/api/v01/admin/categories'
let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())
// Each test finds no category and no file.
afterEach(async () => {
  for (const { id } of (await admin.get(CATEGORIES, 200)).body.categories)
    await admin.delete(`${CATEGORIES}/${id}`, 200)
  expect(await stored()).toEqual([])
})

/** Asked of the store, since the folder of images comes with the first one. */
const stored = async () => {
  const keys: string[] = []
  for await (const key of service.nodes[0]?.core.files.list() ?? []) keys.push(key)
  return keys.sort()
}
const open = (url: string | null | undefined) => service.guest().get(String(url))
const withImage = (fields: Record<string, string>, bytes: Uint8Array, name = 'picture.PNG') =>
  form(fields, { field: 'image', name, bytes, type: 'image/png' })

test('a category comes with an image or without, and both can be changed', async () => {
  const bare = await admin.request('POST', CATEGORIES, form({ name: 'Chemistry' }), 201)
  expect(bare.body.category).toEqual({
    id: expect.any(Number),
    name: 'Chemistry',
    drive_file_id: null,
    image_url: null,
  })

  const red = await makeImage('png')
  const made = await admin.request('POST', CATEGORIES, withImage({ name: 'Physik für Ärzte' }, red), 201)
  const { id, drive_file_id, image_url } = made.body.category
  expect(drive_file_id).toMatch(/^Category\/physik-fur-arzte_[0-9a-f]{12}\.png$/)
  expect((await open(image_url)).status).toBe(200)

  const renamed = await admin.request('PATCH', `${CATEGORIES}/${id}`, form({ name: 'Physics' }), 200)
  expect(renamed.body.category).toMatchObject({ name: 'Physics', drive_file_id })

  const green = await makeImage('webp', { colour: 'green' })
  await admin.request('PUT', `${CATEGORIES}/${id}`, withImage({}, green, 'new.webp'), 200)
  const { categories } = (await admin.get(CATEGORIES, 200)).body
  expect(categories.map(({ name }) => name)).toEqual(['Chemistry', 'Physics'])
  const [, changed] = categories
  expect(changed?.drive_file_id).toMatch(/^Category\/physics_[0-9a-f]{12}\.webp$/)
  expect((await open(changed?.image_url)).headers.get('content-type')).toBe('image/webp')
  expect((await open(image_url)).status).toBe(404)
  expect(await stored()).toEqual([changed?.drive_file_id])

  const exam = { name: 'An exam', category_id: id }
  const { body } = await admin.post('/api/v01/admin/exams', exam, 201)
  await admin.delete(`${CATEGORIES}/${id}`, 200)
  await admin.delete(`${CATEGORIES}/${id}`, 404)
  expect(await stored()).toEqual([])
  expect((await admin.get(`/api/v01/admin/exams/${body.exam.id}`, 200)).body.exam.category_id).toBeNull()
})

test('an invalid request changes nothing and leaves no file', async () => {
  const { body } = await admin.request('POST', CATEGORIES, form({ name: 'Maths' }), 201)
  const at = `${CATEGORIES}/${body.category.id}` as const
  const before = await stored()
  for (const fields of [{}, { name: '' }])
    expect((await admin.request('PUT', at, form(fields), 400)).body.code).toBe('nothing_to_update')
  expect((await admin.request('POST', CATEGORIES, form({}), 400)).body.errors?.[0]?.path).toBe('/name')
  expect((await admin.request('PUT', at, form({ name: ' ' }), 400)).body.code).toBe('validation_failed')
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
  const refused = await admin.request('PUT', at, withImage({ name: 'Renamed' }, svg), 400)
  expect(refused.body).toMatchObject({ code: 'validation_failed', errors: [{ path: '/image' }] })
  const large = withImage({ name: 'Renamed' }, new Uint8Array(512_001))
  expect((await admin.request('PUT', at, large, 413)).body.code).toBe('payload_too_large')
  await admin.request('PUT', `${CATEGORIES}/999999`, withImage({}, await makeImage()), 404)
  expect((await admin.get(CATEGORIES, 200)).body.categories).toContainEqual(body.category)
  expect(await stored()).toEqual(before)
})

test('an empty file input counts as no image', async () => {
  const made = await admin.request(
    'POST',
    CATEGORIES,
    withImage({ name: 'Empty' }, new Uint8Array(), ''),
    201,
  )
  expect(made.body.category.image_url).toBeNull()
})

test('of images that replace each other at once only the file that is shown is left', async () => {
  const { body } = await admin.request('POST', CATEGORIES, form({ name: 'Raced' }), 201)
  const images = await Promise.all(
    ['red', 'green', 'blue', 'black'].map((colour) => makeImage('png', { colour })),
  )
  await Promise.all(
    images.map((bytes) =>
      admin.request('PUT', `${CATEGORIES}/${body.category.id}`, withImage({}, bytes), 200),
    ),
  )
  const { categories } = (await admin.get(CATEGORIES, 200)).body
  const raced = categories.find(({ id }) => id === body.category.id)
  expect(await stored()).toEqual([raced?.drive_file_id])
  expect((await open(raced?.image_url)).status).toBe(200)
})

describe('a change whose commit has not been answered', () => {
  /** A request that replaces a category's image, and waits in its commit until `commit` or `fail`. */
  async function startChange() {
    const database = await createDatabase()
    const proxy = await startProxy(new URL(database.url))
    const proxied = new URL(database.url)
    proxied.host = `127.0.0.1:${proxy.port}`
    onTestFinished(() => proxy.close())
    const { nodes, admin: newAdmin } = await withService({ database: { ...database, url: proxied.href } })
    const { core } = nodes[0] as (typeof nodes)[0]
    const admin = await newAdmin()
    const before = (
      await admin.request('POST', CATEGORIES, withImage({ name: 'Held' }, await makeImage()), 201)
    ).body.category

    const sql = postgres(database.url, { max: 2, onnotice: () => {} })
    onTestFinished(() => sql.end({ timeout: 0 }))
    await sql`
      create function wait() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(1); return null; end $$`
    await sql`
      create constraint trigger wait after update on categories deferrable initially deferred
        for each row execute function wait()`
    const gate = await sql.reserve()
    await gate`select pg_advisory_lock(1)`
    const waiting = () => sql<{ pid: number }[]>`
      select pid from pg_locks join pg_database on oid = database
       where datname = current_database() and locktype = 'advisory' and not granted`
    const at = `${CATEGORIES}/${before.id}` as const
    const answer = admin.request('PUT', at, withImage({}, await makeImage()))
    await expect.poll(async () => await waiting()).toHaveLength(1)

    return {
      proxy,
      answer,
      old: String(before.drive_file_id),
      commit: () => gate`select pg_advisory_unlock(1)`,
      async fail() {
        for (const { pid } of await waiting()) await sql`select pg_terminate_backend(${pid})`
      },
      shown: async () => (await sql`select image_key from categories`)[0]?.image_key as string,
      marked: async () => (await sql`select key from discarded_files`).map(({ key }) => key as string),
      async sweepAll() {
        await sql`update discarded_files set due_at = now()`
        await sweepDiscardedFiles(core)
        const left: string[] = []
        for await (const key of core.files.list()) left.push(key)
        return left
      },
    }
  }

  test('keeps its image if it was committed, and discards the old one', async () => {
    const { proxy, answer, old, commit, shown, marked, sweepAll } = await startChange()
    const [made] = await marked()
    proxy.freeze()
    await commit()
    await expect.poll(shown).not.toBe(old)
    proxy.cut()
    proxy.thaw()
    expect((await answer).status).toBe(503)
    expect(await shown()).toBe(made)
    expect(await sweepAll()).toEqual([made])
  })

  test('discards its image if it was not, and keeps the old one', async () => {
    const { answer, old, fail, shown, marked, sweepAll } = await startChange()
    expect(await marked()).toHaveLength(1)
    await fail()
    expect((await answer).status).toBe(503)
    expect(await shown()).toBe(old)
    expect(await sweepAll()).toEqual([old])
  })
})
