import { describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { addPage, createNotebook, objectsOf } from '../support/content/notes.ts'
import { sharedService, withService } from '../support/service.ts'

const service = await sharedService()

const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

describe('notebooks and pages', () => {
  test('a notebook is made, read, changed, listed and deleted', async () => {
    const alice = await service.person()
    const { body } = await alice.post('/api/v01/notebooks', { title: ' Physics ' }, 201)
    const { id } = body.notebook
    const notebook = {
      id,
      title: 'Physics',
      description: '',
      is_public: false,
      page_count: 0,
      created_at: stamp,
      updated_at: stamp,
    }
    expect(body).toEqual({ success: true, notebook })
    const other = await createNotebook(alice, { title: 'Chemistry' })
    await addPage(alice, id)
    const listed = await alice.get('/api/v01/notebooks', 200)
    expect(listed.body.notebooks.map((each) => each.id)).toEqual([id, other])
    expect(listed.body.notebooks[0]?.page_count).toBe(1)

    const path = `/api/v01/notebooks/${id}` as const
    const changed = await alice.patch(path, { description: 'Optics', is_public: true }, 200)
    expect(changed.body.notebook).toMatchObject({ title: 'Physics', description: 'Optics', is_public: true })
    expect((await alice.patch(path, {}, 400)).body.code).toBe('nothing_to_update')
    for (const title of ['', 'on\ntwo lines', 'a\u0007bell']) await alice.patch(path, { title }, 400)
    await alice.post('/api/v01/notebooks', {}, 400)
    await alice.delete(path, 200)
    await alice.get(path, 404)
    await alice.delete(path, 404)
  })

  test('pages keep their order when one is inserted, moved or deleted', async () => {
    const alice = await service.person()
    const notebook = await createNotebook(alice)
    const path = `/api/v01/notebooks/${notebook}/pages` as const
    const ids = []
    for (const title of ['a', 'b', 'c']) ids.push((await alice.post(path, { title }, 201)).body.page.id)
    const [a, b, c] = ids
    const first = await alice.post(path, { title: 'd', position: 0 }, 201)
    expect(first.body.page).toEqual({
      id: expect.any(Number),
      notebook_id: notebook,
      title: 'd',
      position: 0,
      object_count: 0,
      version: 0,
    })
    const d = first.body.page.id
    const order = async () => {
      const { pages } = (await alice.get(path, 200)).body
      expect(pages.map((page) => page.position)).toEqual([...pages.keys()])
      return pages.map((page) => page.id)
    }
    expect(await order()).toEqual([d, a, b, c])
    const moved = await alice.patch(`/api/v01/pages/${d}`, { position: 2, title: 'D' }, 200)
    expect(moved.body.page).toMatchObject({ id: d, title: 'D', position: 2 })
    expect(await order()).toEqual([a, b, d, c])
    expect((await alice.patch(`/api/v01/pages/${a}`, { position: 99 }, 200)).body.page.position).toBe(3)
    expect(await order()).toEqual([b, d, c, a])
    await alice.delete(`/api/v01/pages/${d}`, 200)
    expect(await order()).toEqual([b, c, a])
    await alice.get(`/api/v01/pages/${d}`, 404)
    expect((await alice.get(`/api/v01/pages/${c}`, 200)).body.page.position).toBe(1)
    await alice.patch(`/api/v01/pages/${c}`, {}, 400)
  })

  test('pages that are added, moved and synced at once have consecutive positions', async () => {
    const alice = await service.person()
    const notebook = await createNotebook(alice)
    const ids = await Promise.all(Array.from({ length: 8 }, () => addPage(alice, notebook)))
    await Promise.all(
      ids.flatMap((id, n) => [
        alice.patch(`/api/v01/pages/${id}`, { position: 7 - n }, 200),
        alice.post(`/api/v01/pages/${id}/sync`, { objects: [{ id: 'x' }] }, 200),
        addPage(alice, notebook),
      ]),
    )
    const { pages } = (await alice.get(`/api/v01/notebooks/${notebook}/pages`, 200)).body
    expect(pages.map((page) => page.position)).toEqual([...Array(16).keys()])
  })

  test('a private notebook is 404 to everybody else, a public one can be read but not changed by them', async () => {
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const notebook = await createNotebook(alice)
    const page = await addPage(alice, notebook)
    await alice.post(`/api/v01/pages/${page}/sync`, { objects: [{ id: 'x' }] }, 200)
    const reads = [
      `/api/v01/notebooks/${notebook}`,
      `/api/v01/notebooks/${notebook}/pages`,
      `/api/v01/notebooks/${notebook}/print`,
      `/api/v01/pages/${page}`,
      `/api/v01/pages/${page}/objects`,
      `/api/v01/pages/${page}/assets`,
    ]
    const writes: [string, string, object?][] = [
      ['PATCH', `/api/v01/notebooks/${notebook}`, { title: 'mine' }],
      ['POST', `/api/v01/notebooks/${notebook}/pages`, {}],
      ['PATCH', `/api/v01/pages/${page}`, { title: 'mine' }],
      ['POST', `/api/v01/pages/${page}/sync`, { deleted_ids: ['x'] }],
      ['DELETE', `/api/v01/pages/${page}`],
      ['DELETE', `/api/v01/notebooks/${notebook}`],
    ]
    const missing = (await bob.get('/api/v01/notebooks/999999', 404)).body
    for (const path of reads) expect((await bob.get(path, 404)).body).toEqual(missing)
    for (const [method, path, body] of writes)
      expect((await bob.request(method, path, body, 404)).body).toEqual(missing)
    await bob.get(`/api/v01/library/${notebook}`, 404)

    await alice.patch(`/api/v01/notebooks/${notebook}`, { is_public: true }, 200)
    for (const path of reads) await bob.get(path, 200)
    for (const [method, path, body] of writes)
      expect((await bob.request(method, path, body, 403)).body.code).toBe('not_owner')
    expect(await objectsOf(bob, page)).toEqual([{ id: 'x' }])
    await service.guest().get('/api/v01/notebooks', 401)
  })
})

describe('the library', () => {
  test('searches the first 1,000 notebooks for one or two letters, and all for longer texts', async () => {
    const own = await withService()
    const bob = await own.person('bob')
    await own.sql`
      insert into notebooks (owner_id, title, description, is_public, likes, updated_at)
      select ${bob.id}, case when n in (1, 1000, 1001) then 'Øl pH' else 'Notes' end, '', true, n,
             now() - n * interval '1 min' from generate_series(1, 1001) n`
    const count = async (query: string) => (await bob.get(`/api/v01/library?${query}`, 200)).body.total
    expect(await count('q=ph')).toBe(2)
    expect(await count('q=PH&sort=popular')).toBe(2)
    expect(await count('q=øl ph')).toBe(3)
    expect(await count('q=bo')).toBe(1_000)
    expect(await count('q=bob')).toBe(1_001)
    const { body } = await bob.get('/api/v01/library?q=bob&page=51', 200)
    expect(body.notebooks.map(({ title }) => title)).toEqual(['Øl pH'])
  })

  test('lists, searches and sorts public notebooks', async () => {
    const tag = `t${Date.now()}`
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const one = await createNotebook(alice, { title: `100% ${tag} One`, is_public: true })
    const two = await createNotebook(alice, { title: 'Two', description: `about ${tag}`, is_public: true })
    await createNotebook(alice, { title: `${tag} private` })
    await addPage(alice, one)
    await bob.post(`/api/v01/library/${two}/interactions`, { kind: 'like' }, 200)

    const search = async (query: string) => {
      const { body } = await bob.get(`/api/v01/library?${query}`, 200)
      return body.notebooks.map(({ id }) => id)
    }
    expect(await search(`q=${tag.toUpperCase()}`)).toEqual([one, two])
    expect(await search(`q=${tag}&sort=popular`)).toEqual([two, one])
    expect(await search(`q=100%25 ${tag}`)).toEqual([one])
    expect(await search(`q=1_0% ${tag}`.replace('%', '%25'))).toEqual([])
    expect(await search(`q=${alice.username}`)).toEqual([one, two])
    const all = { title: `By ${alice.username}`, description: tag, is_public: true }
    const three = await createNotebook(alice, all)
    expect(await search(`q=${alice.username}`)).toEqual([three, one, two])
    await alice.delete(`/api/v01/notebooks/${three}`, 200)
    const found = await bob.get(`/api/v01/library?q=${tag}&page=2`, 200)
    expect(found.body).toMatchObject({ notebooks: [], total: 2, page: 2, per_page: 20, total_pages: 1 })
    await bob.get('/api/v01/library?page=0', 400)
    await bob.get('/api/v01/library?sort=worst', 400)

    expect((await bob.get(`/api/v01/library/${two}`, 200)).body).toEqual({
      success: true,
      notebook: {
        id: two,
        title: 'Two',
        description: `about ${tag}`,
        author: alice.username,
        page_count: 0,
        likes: 1,
        bookmarks: 0,
        liked: true,
        bookmarked: false,
        created_at: stamp,
        updated_at: stamp,
        pages: [],
      },
    })
    expect((await alice.get(`/api/v01/library/${two}`, 200)).body.notebook.liked).toBe(false)
    expect((await bob.get(`/api/v01/library/${one}`, 200)).body.notebook.pages).toHaveLength(1)
    await alice.patch(`/api/v01/notebooks/${two}`, { is_public: false }, 200)
    expect(await search(`q=${tag}`)).toEqual([one])
  })

  test('toggles or sets likes and bookmarks; the count is exact under concurrent clicks', async () => {
    const [alice, ...readers] = await Promise.all(Array.from({ length: 6 }, () => service.person()))
    const notebook = await createNotebook(alice as Client, { is_public: true })
    const path = `/api/v01/library/${notebook}/interactions` as const
    const [bob, carol] = readers as [Client, Client]
    const like = { success: true, kind: 'like' }
    expect((await bob.post(path, { kind: 'like' }, 200)).body).toEqual({ ...like, active: true, count: 1 })
    expect((await carol.post(path, { kind: 'like' }, 200)).body).toEqual({ ...like, active: true, count: 2 })
    expect((await bob.post(path, { kind: 'like' }, 200)).body).toEqual({ ...like, active: false, count: 1 })
    expect((await bob.post(path, { kind: 'bookmark' }, 200)).body.count).toBe(1)
    await bob.post(path, { kind: 'share' }, 400)

    const settings = await Promise.all(
      readers.flatMap((reader) =>
        Array.from({ length: 4 }, () => reader.post(path, { kind: 'like', active: true }, 200)),
      ),
    )
    expect(settings.every(({ body }) => body.active)).toBe(true)
    await Promise.all(
      readers.flatMap((reader) => [1, 2, 3].map(() => reader.post(path, { kind: 'like' }, 200))),
    )
    const [rows] = await service.sql`
      select count(*)::int from notebook_interactions where notebook_id = ${notebook} and kind = 'like'`
    const { notebook: seen } = (await bob.get(`/api/v01/library/${notebook}`, 200)).body
    expect(seen.likes).toBe(rows?.count)
    expect(seen.bookmarks).toBe(1)
    // Everybody liked it, and an odd number of toggles undoes that in any order.
    expect(rows?.count).toBe(0)
    for (const times of [8, 7, 6, 5]) {
      const before = (await bob.get(`/api/v01/library/${notebook}`, 200)).body.notebook.bookmarked
      const answers = await Promise.all(
        Array.from({ length: times }, () => bob.post(path, { kind: 'bookmark' }, 200)),
      )
      const after = (await bob.get(`/api/v01/library/${notebook}`, 200)).body.notebook
      expect(after).toMatchObject({
        bookmarked: before === (times % 2 === 0),
        bookmarks: before === (times % 2 === 0) ? 1 : 0,
      })
      const made = answers.filter(({ body }) => body.active).length
      expect(made).toBe(before ? Math.floor(times / 2) : Math.ceil(times / 2))
    }
    await Promise.all(readers.map((reader) => reader.post(path, { kind: 'like', active: false }, 200)))
    expect((await bob.get(`/api/v01/library/${notebook}`, 200)).body.notebook.likes).toBe(0)
    await bob.post('/api/v01/library/999999/interactions', { kind: 'like' }, 404)
  })
})
