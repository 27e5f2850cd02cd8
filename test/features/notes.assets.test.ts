import { access, readdir } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { sweepDiscardedFiles } from '../../src/features/uploads/discarded-uploads.ts'
import type { Client } from '../support/client.ts'
import { addPage, createNotebook } from '../support/content/notes.ts'
import { sharedService } from '../support/service.ts'

const service = await sharedService()

function image(width: number, height: number, format: 'png' | 'jpeg' = 'png'): Promise<Buffer> {
  const canvas = sharp({ create: { width, height, channels: 3, background: '#336699' } })
  return canvas.toFormat(format).toBuffer()
}

function form(bytes: Buffer | undefined, filename = 'drawing.png', field = 'image'): FormData {
  const data = new FormData()
  if (bytes) data.set(field, new Blob([new Uint8Array(bytes)]), filename)
  else data.set('note', 'no file')
  return data
}

async function upload(person: Client, page: number, bytes: Buffer) {
  const { body } = await person.request('POST', `/api/v01/pages/${page}/assets`, form(bytes), 201)
  return body.asset
}

/** The bytes at a signed address, or the status of the refusal. */
async function download(url: string): Promise<Buffer | number> {
  const response = await service.guest().fetch('GET', url)
  return response.ok ? Buffer.from(await response.arrayBuffer()) : response.status
}

async function storedFiles(): Promise<string[]> {
  const folder = path.join(service.dataDir, 'files', 'Notes')
  await access(folder)
  return readdir(folder)
}

/** Stores so many images on a page that its owner has room for one more; answers what removes them. */
async function fillUp(page: number): Promise<() => Promise<void>> {
  const count = 1024 ** 3 / 4_096 - 1
  await service.sql`
    insert into assets (page_id, file_key, content_type, size, width, height)
    select ${page}, 'Notes/tiny-' || n || '.png', 'image/png', 70, 1, 1 from generate_series(1, ${count}::int) n`
  return async () => {
    await service.sql`delete from pages where id = ${page}`
    // Otherwise the sweep would look for all these files, which don't exist.
    await service.sql`delete from discarded_files where key like 'Notes/tiny-%'`
  }
}

async function newPage(person: Client): Promise<{ notebook: number; page: number }> {
  const notebook = await createNotebook(person)
  return { notebook, page: await addPage(person, notebook) }
}

describe('images of notes', () => {
  test('an image is uploaded, served by its signed address, replaced and deleted', async () => {
    const alice = await service.person()
    const { page } = await newPage(alice)
    const bytes = await image(40, 30)
    const asset = await upload(alice, page, bytes)
    expect(asset).toEqual({
      id: expect.any(Number),
      url: expect.stringMatching(/^\/files\/Notes\/[\w-]+\.png\?expires=\d+&signature=/),
      content_type: 'image/png',
      size: bytes.length,
      width: 40,
      height: 30,
    })
    expect(await download(asset.url)).toEqual(bytes)
    expect((await alice.get(`/api/v01/assets/${asset.id}`, 200)).body).toEqual({ success: true, asset })
    expect((await alice.get(`/api/v01/pages/${page}/assets`, 200)).body.assets).toEqual([asset])

    const other = await image(10, 20, 'jpeg')
    const replaced = await alice.request('PATCH', `/api/v01/assets/${asset.id}`, form(other, 'x.jpg'), 200)
    expect(replaced.body.asset).toMatchObject({ id: asset.id, content_type: 'image/jpeg', width: 10 })
    expect(await download(replaced.body.asset.url)).toEqual(other)
    expect(await download(asset.url)).toBe(404)

    await alice.delete(`/api/v01/assets/${asset.id}`, 200)
    await alice.get(`/api/v01/assets/${asset.id}`, 404)
    expect(await download(replaced.body.asset.url)).toBe(404)
    expect(await service.sql`select key from discarded_files`).toEqual([])
  })

  test('anything but one image in the field `image` is refused and leaves no file', async () => {
    const alice = await service.person()
    const { page } = await newPage(alice)
    const target = `/api/v01/pages/${page}/assets` as const
    const png = await image(4, 4)
    const before = await storedFiles()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    for (const body of [
      form(undefined),
      form(png, 'drawing.png', 'file'),
      form(png, 'drawing.svg'),
      form(svg),
      form(Buffer.concat([png.subarray(0, 30)])),
    ]) {
      const { body: refused } = await alice.request('POST', target, body, 400)
      expect(refused).toMatchObject({ code: 'validation_failed', errors: [{ path: '/image' }] })
    }
    const { body: large } = await alice.request('POST', target, form(Buffer.alloc(6 * 1024 * 1024)), 413)
    expect(large.code).toBe('payload_too_large')
    await alice.post(target, { image: 'x' }, 415)
    await alice.request('POST', '/api/v01/pages/999999/assets', form(png), 404)
    expect(await storedFiles()).toEqual(before)
  })

  test('images are as private as their notebook', async () => {
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const { notebook, page } = await newPage(alice)
    const asset = await upload(alice, page, await image(4, 4))
    const target = `/api/v01/assets/${asset.id}` as const
    const png = await image(5, 5)
    await bob.get(target, 404)
    await bob.delete(target, 404)
    await bob.request('PATCH', target, form(png), 404)
    await bob.request('POST', `/api/v01/pages/${page}/assets`, form(png), 404)
    await alice.patch(`/api/v01/notebooks/${notebook}`, { is_public: true }, 200)
    expect((await bob.get(target, 200)).body.asset.id).toBe(asset.id)
    await bob.delete(target, 403)
    await bob.request('PATCH', target, form(png), 403)
    await bob.request('POST', `/api/v01/pages/${page}/assets`, form(png), 403)
  })

  test('the print list holds every page with its objects and signed images, in order', async () => {
    const alice = await service.person()
    const { notebook, page } = await newPage(alice)
    const second = await addPage(alice, notebook)
    await alice.post(`/api/v01/pages/${page}/sync`, { objects: [{ id: 'b' }, { id: 'a', x: 1 }] }, 200)
    await alice.post(`/api/v01/pages/${page}/sync`, { objects: [{ id: 'c' }], start_index: 1 }, 200)
    await alice.post(`/api/v01/pages/${page}/sync`, { deleted_ids: ['b'] }, 200)
    const asset = await upload(alice, second, await image(4, 4))
    await alice.patch(`/api/v01/pages/${second}`, { position: 0 }, 200)
    const { body } = await alice.get(`/api/v01/notebooks/${notebook}/print`, 200)
    const pages = (await alice.get(`/api/v01/notebooks/${notebook}/pages`, 200)).body.pages
    expect(body).toEqual({
      success: true,
      pages: [
        { ...pages[0], id: second, objects: [], assets: [asset] },
        { ...pages[1], id: page, objects: [{ id: 'c' }, { id: 'a', x: 1 }], assets: [] },
      ],
    })
  })

  test.each([
    ['page', ({ page }: NotebookPage, alice: Client) => alice.delete(`/api/v01/pages/${page}`, 200)],
    [
      'notebook',
      ({ notebook }: NotebookPage, alice: Client) => alice.delete(`/api/v01/notebooks/${notebook}`, 200),
    ],
  ])('images are deleted with their %s', async (_name, remove) => {
    const alice = await service.person()
    const made = await newPage(alice)
    const before = await storedFiles()
    const assets = [
      await upload(alice, made.page, await image(4, 4)),
      await upload(alice, made.page, await image(5, 5)),
    ]
    expect(await storedFiles()).toHaveLength(before.length + 2)
    await remove(made, alice)
    expect(await storedFiles()).toEqual(before)
    expect(await download(String(assets[0]?.url))).toBe(404)
  })

  test('deleting an account deletes its notes, its likes and its files', async () => {
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const { notebook, page } = await newPage(alice)
    const theirs = await createNotebook(bob, { is_public: true })
    await alice.post(`/api/v01/library/${theirs}/interactions`, { kind: 'like' }, 200)
    await alice.post(`/api/v01/pages/${page}/sync`, { objects: [{ id: 'a' }] }, 200)
    const before = await storedFiles()
    await upload(alice, page, await image(4, 4))
    await service.sql`delete from users where id = ${alice.id}`
    const [left] = await service.sql`
      select (select count(*) from notebooks where id = ${notebook})::int
           + (select count(*) from page_objects where page_id = ${page})::int as count`
    expect(left?.count).toBe(0)
    expect((await bob.get(`/api/v01/library/${theirs}`, 200)).body.notebook.likes).toBe(0)
    await sweepDiscardedFiles((service.nodes[0] as (typeof service.nodes)[0]).core)
    expect(await storedFiles()).toEqual(before)
  })

  test('of eight images at once with room for one, one is stored, and no file of the others is left', async () => {
    const alice = await service.person()
    const { notebook, page } = await newPage(alice)
    const empty = await fillUp(await addPage(alice, notebook))
    const before = await storedFiles()
    const bytes = await image(4, 4)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => alice.request('POST', `/api/v01/pages/${page}/assets`, form(bytes))),
    )
    const codes = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`)
    expect(codes.sort()).toEqual(['201 ', ...Array(7).fill('409 too_many')])
    expect(await storedFiles()).toHaveLength(before.length + 1)
    await empty()
  })

  test('the smallest images count as much as they occupy on disk', async () => {
    const alice = await service.person()
    const { notebook, page } = await newPage(alice)
    const empty = await fillUp(await addPage(alice, notebook))
    const asset = await upload(alice, page, await image(1, 1))
    const target = `/api/v01/pages/${page}/assets` as const
    const { body } = await alice.request('POST', target, form(await image(1, 1)), 409)
    expect(body.code).toBe('too_many')
    await alice.request('PATCH', `/api/v01/assets/${asset.id}`, form(await image(2, 2)), 200)
    await empty()
    await upload(alice, page, await image(1, 1))
  })

  test('the file of an upload that was never committed is swept when it is due', async () => {
    const { core } = service.nodes[0] as (typeof service.nodes)[0]
    const alice = await service.person()
    const { page } = await newPage(alice)
    await upload(alice, page, await image(4, 4))
    const before = await storedFiles()
    await service.sql`insert into discarded_files (key, due_at) values ('Notes/lost.png', now() + interval '1 hour')`
    await core.files.put('Notes/lost.png', await image(4, 4), 'image/png')
    await sweepDiscardedFiles(core)
    expect(await storedFiles()).toHaveLength(before.length + 1)
    await service.sql`update discarded_files set due_at = now()`
    await sweepDiscardedFiles(core)
    expect(await storedFiles()).toEqual(before)
  })
})

interface NotebookPage {
  notebook: number
  page: number
}
