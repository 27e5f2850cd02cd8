import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../support/client.ts'
import { form } from '../../support/content/forms.ts'
import { makeImage } from '../../support/content/images.ts'
import { startService, type TestService } from '../../support/service.ts'

const CATEGORIES = '/api/v01/admin/categories'
let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())

const stored = async () => (await readdir(path.join(service.dataDir, 'files', 'Category'))).sort()
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
  expect(await stored()).toEqual([path.basename(String(changed?.drive_file_id))])

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
  expect((await admin.request('PUT', at, form({}), 400)).body.code).toBe('nothing_to_update')
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
  expect(await stored()).toEqual([path.basename(String(raced?.drive_file_id))])
  expect((await open(raced?.image_url)).status).toBe(200)
})
