import { randomBytes } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { makeImage, withText } from '../support/content/images.ts'
import { addPage, createNotebook } from '../support/content/notes.ts'
import { type SharedService, sharedService } from '../support/service.ts'

const SECRET = 'taken at home'
let service: SharedService
let admin: Client
/** A photograph that lies on its side, with a place in it. */
let photograph: Buffer
beforeAll(async () => {
  service = await sharedService()
  admin = await service.admin()
  photograph = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Copyright: SECRET }, IFD3: { GPSLatitudeRef: 'N' } })
    .toBuffer()
})

async function expectPlain(url: unknown): Promise<void> {
  const response = await service.guest().fetch('GET', String(url))
  const bytes = Buffer.from(await response.arrayBuffer())
  const { exif, orientation, width, height } = await sharp(bytes).metadata()
  expect({ status: response.status, exif, orientation, width, height }).toEqual({
    status: 200,
    exif: undefined,
    orientation: undefined,
    width: 20,
    height: 40,
  })
  expect(bytes.includes(SECRET)).toBe(false)
}

async function imageOf(examId: number): Promise<unknown> {
  const { body } = await admin.get(`/api/v01/admin/questions?exam_id=${examId}`, 200)
  return body.questions.at(-1)?.image_url
}

test('a photograph in a public notebook doesn’t tell its readers where it was taken', async () => {
  const author = await service.person()
  const page = await addPage(author, await createNotebook(author))
  const file = form({}, { field: 'image', name: 'board.jpg', bytes: photograph })
  const { asset } = (await author.request('POST', `/api/v01/pages/${page}/assets`, file, 201)).body
  expect(asset).toMatchObject({ content_type: 'image/jpeg', width: 20, height: 40 })
  await expectPlain(asset.url)
  const again = (await author.request('PATCH', `/api/v01/assets/${asset.id}`, file, 200)).body.asset
  await expectPlain(again.url)
})

test('neither does that of a question or a category, or one that comes in with an import', {
  meta: { costly: 'encodes many images' },
}, async () => {
  const file = (field: string) => ({ field, name: 'board.jpg', bytes: photograph })
  const { examId } = await createExam(service.sql, { questions: [] })
  await admin.request(
    'POST',
    '/api/v01/admin/images',
    form({ subject_folder_id: 'Home' }, file('images')),
    200,
  )
  const question = form({ exam_id: examId, image_path: 'Home/board.jpg' })
  await admin.request('POST', '/api/v01/admin/questions', question, 201)
  await expectPlain(await imageOf(examId))

  const { category } = (
    await admin.request('POST', '/api/v01/admin/categories', form({ name: 'Home' }, file('image')), 201)
  ).body
  await expectPlain(category.image_url)

  const quiz = `<quiz><question type="truefalse"><questiontext format="html">
    <text><![CDATA[Is it red? <img src="@@PLUGINFILE@@/board.jpg">]]></text>
    <file name="board.jpg" path="/" encoding="base64">${photograph.toString('base64')}</file></questiontext>
    <answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text></answer></question></quiz>`
  const imported = await createExam(service.sql, { questions: [] })
  const upload = form({}, { field: 'file', name: 'quiz.xml', bytes: quiz })
  await admin.request('POST', `/api/v01/admin/exams/${imported.examId}/import`, upload, 201)
  await expectPlain(await imageOf(imported.examId))
})

/** What is stored of an image of a question. */
async function storedOf(name: string, bytes: Buffer): Promise<Buffer> {
  const { examId } = await createExam(service.sql, { questions: [] })
  const images = form({ subject_folder_id: 'Stored' }, { field: 'images', name, bytes })
  expect((await admin.request('POST', '/api/v01/admin/images', images, 200)).body.failed).toEqual([])
  const question = form({ exam_id: examId, image_path: `Stored/${name}` })
  await admin.request('POST', '/api/v01/admin/questions', question, 201)
  const response = await service.guest().fetch('GET', String(await imageOf(examId)))
  return Buffer.from(await response.arrayBuffer())
}

const withPlace = (image: Sharp) => image.withExif({ IFD0: { Copyright: SECRET } }).toBuffer()

test('without it an image is within the same limit, so that other services take its export', {
  meta: { costly: 'encodes large images' },
}, async () => {
  const noise = (width: number, height: number) =>
    sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
  // Each would be larger than the limit if it was encoded with a high quality.
  for (const [name, image] of [
    ['noise.jpg', noise(900, 1_340).jpeg({ quality: 50 })],
    ['noise.webp', noise(900, 1_000).webp({ quality: 50 })],
    ['noise.png', noise(640, 520).blur(2).png({ adaptiveFiltering: true })],
  ] as const) {
    const stored = await storedOf(name, await withPlace(image))
    expect(stored.length).toBeLessThanOrEqual(512_000)
    expect((await sharp(stored).metadata()).exif).toBeUndefined()
  }
})

test('the colours of a palette stay one', async () => {
  const [width, height] = [300, 300]
  const colours = Array.from({ length: 16 }, () => randomBytes(3))
  const pixels = Buffer.concat(
    Array.from(randomBytes(width * height), (byte) => colours[byte % 16] as Buffer),
  )
  const image = sharp(pixels, { raw: { width, height, channels: 3 } })
  const bytes = await withPlace(image.png({ palette: true, dither: 0 }))
  const stored = await storedOf('palette.png', bytes)
  const { isPalette, exif } = await sharp(stored).metadata()
  expect({ isPalette, exif }).toEqual({ isPalette: true, exif: undefined })
  expect(stored.length).toBeLessThanOrEqual(bytes.length)
  expect((await sharp(stored).removeAlpha().raw().toBuffer()).equals(pixels)).toBe(true)
})

test('an animation that is too large to be encoded anew is refused with that reason', {
  meta: { costly: 'encodes a large animation' },
}, async () => {
  const [width, pageHeight, frames] = [1_000, 1_000, 26]
  const pixels = Buffer.alloc(width * pageHeight * frames * 3)
  for (let frame = 0; frame < frames; frame++) pixels.fill(frame * 9, frame * width * pageHeight * 3)
  const film = sharp(pixels, { raw: { width, height: pageHeight * frames, channels: 3, pageHeight } })
  const bytes = await withPlace(film.webp({ effort: 0 }))
  const images = form({ subject_folder_id: 'Stored' }, { field: 'images', name: 'film.webp', bytes })
  const { body } = await admin.request('POST', '/api/v01/admin/images', images, 200)
  expect(body.failed).toEqual([{ filename: 'film.webp', error: 'The image is too large' }])
})

test('an image that tells nothing stays byte for byte', async () => {
  const author = await service.person()
  const page = await addPage(author, await createNotebook(author))
  for (const [name, bytes] of [
    ['red.jpg', await makeImage('jpeg')],
    ['red.png', withText(await makeImage('png'), 'Software', 'A program')],
  ] as const) {
    const file = form({}, { field: 'image', name, bytes })
    const { asset } = (await author.request('POST', `/api/v01/pages/${page}/assets`, file, 201)).body
    const response = await service.guest().fetch('GET', asset.url)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  }
})
