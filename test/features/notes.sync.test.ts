import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { addPage, type CanvasObject, createNotebook, objectsOf } from '../support/content/notes.ts'
import { holdLocks } from '../support/locks.ts'
import { type SharedService, sharedService } from '../support/service.ts'

let service: SharedService
let alice: Client
let notebook: number
beforeAll(async () => {
  service = await sharedService()
  alice = await service.person()
  notebook = await createNotebook(alice)
})

interface Sync {
  objects?: CanvasObject[]
  deleted_ids?: string[]
  start_index?: number
  version?: number
}

async function sync(page: number, body: Sync, status = 200) {
  return (await alice.post(`/api/v01/pages/${page}/sync`, body, status)).body
}
const idsOf = async (page: number) => (await objectsOf(alice, page)).map(({ id }) => id).join('')
const named = (ids: string, fields: object = {}) => [...ids].map((id) => ({ id, ...fields }))

test('the objects of a page, and how many there are, are of one instant', async () => {
  const page = await addPage(alice, notebook)
  await sync(page, { objects: named('abc') })
  // As a sync deletes the lowest one.
  const commit = await holdLocks(service.sql, async (tx) => {
    await tx`lock table page_objects in access exclusive mode`
    await tx`update page_objects set data = null where page_id = ${page} and object_id = 'a'`
    await tx`update pages set stack = substring(stack from 5), object_count = 2, tombstones = 1 where id = ${page}`
  })
  const asked = alice.get(`/api/v01/pages/${page}/objects`, 200)
  await expect.poll(service.lockWaits).not.toHaveLength(0)
  await commit()
  const { body } = await asked
  expect(body.objects).toHaveLength(body.total)
  expect(await idsOf(page)).toBe('bc')
})

test('no objects are read for somebody who may not see their page', async () => {
  const page = await addPage(alice, notebook)
  await sync(page, { objects: named('a') })
  const stranger = await service.person()
  const release = await holdLocks(service.sql, (tx) => tx`lock table page_objects in access exclusive mode`)
  await stranger.get(`/api/v01/pages/${page}/objects`, 404)
  await release()
})

describe('a sync', () => {
  test('places its objects from start_index on: new ones are inserted, known ones replaced and moved', async () => {
    const page = await addPage(alice, notebook)
    expect(await sync(page, { objects: named('abcd') })).toEqual({ success: true, version: 1, total: 4 })
    expect(await sync(page, { objects: named('xb', { colour: 'red' }), start_index: 2 })).toEqual({
      success: true,
      version: 2,
      total: 5,
    })
    expect(await objectsOf(alice, page)).toEqual([
      { id: 'a' },
      { id: 'c' },
      { id: 'x', colour: 'red' },
      { id: 'b', colour: 'red' },
      { id: 'd' },
    ])
    await sync(page, { objects: named('y'), start_index: 99 })
    expect(await idsOf(page)).toBe('acxbdy')
    await sync(page, { deleted_ids: ['a', 'x'], objects: named('z'), start_index: 1 })
    expect(await idsOf(page)).toBe('czbdy')
    expect((await alice.get(`/api/v01/pages/${page}`, 200)).body.page).toMatchObject({
      object_count: 5,
      version: 4,
    })
  })

  test('that changes nothing does not change the version', async () => {
    const page = await addPage(alice, notebook)
    const body = { objects: named('abc', { at: [1, 2.5, -3e-7], text: '😀 "quoted"\n' }), deleted_ids: ['q'] }
    expect(await sync(page, body)).toMatchObject({ version: 1, total: 3 })
    expect(await sync(page, body)).toMatchObject({ version: 1, total: 3 })
    expect(await sync(page, {})).toMatchObject({ version: 1, total: 3 })
    expect(await sync(page, { deleted_ids: ['q', 'never seen'] })).toMatchObject({ version: 1 })
    expect(await sync(page, { objects: named('cab') })).toMatchObject({ version: 2 })
    expect(await sync(page, { deleted_ids: ['a'] })).toMatchObject({ version: 3, total: 2 })
    expect(await sync(page, { deleted_ids: ['a'] })).toMatchObject({ version: 3, total: 2 })
    expect(await objectsOf(alice, page)).toEqual(
      [body.objects[2], body.objects[1]].map((each) => ({ id: each?.id })),
    )
  })

  test('with an outdated version is 409 and changes nothing', async () => {
    const page = await addPage(alice, notebook)
    await sync(page, { objects: named('ab'), version: 0 })
    const refused = await sync(page, { deleted_ids: ['a'], objects: named('c'), version: 0 }, 409)
    expect(refused).toMatchObject({ success: false, code: 'version_conflict', version: 1 })
    expect(await idsOf(page)).toBe('ab')
  })

  test('brings a deleted object back only if it carries the current version', async () => {
    const page = await addPage(alice, notebook)
    await sync(page, { objects: named('abc') })
    await sync(page, { deleted_ids: ['b'] })
    expect(await sync(page, { objects: named('b'), start_index: 1 })).toMatchObject({ version: 2, total: 2 })
    await sync(page, { objects: named('b', { undone: true }), start_index: 1, version: 2 })
    expect(await objectsOf(alice, page)).toEqual([{ id: 'a' }, { id: 'b', undone: true }, { id: 'c' }])
    await sync(page, { objects: named('b'), deleted_ids: ['b'], start_index: 0 })
    expect(await idsOf(page)).toBe('ac')
    await sync(page, { objects: named('b'), deleted_ids: ['b'], start_index: 0, version: 4 })
    expect(await idsOf(page)).toBe('bac')
  })

  test('is bounded, and keeps objects exactly as they were sent', async () => {
    const page = await addPage(alice, notebook)
    const odd = {
      id: ' spaced ',
      z: 1,
      a: { '': null, ünï: '\u2028', '10': 1, '9': [true, [[]]] },
      n: 0.1,
    }
    await sync(page, { objects: [odd] })
    expect(JSON.stringify((await objectsOf(alice, page))[0])).toBe(JSON.stringify(odd))
    const refused = async (body: unknown) => sync(page, body as Sync, 400)
    await refused({ objects: named('aa') })
    await refused({ objects: [{ id: '' }] })
    await refused({ objects: [{ id: 7 }] })
    await refused({ objects: [{ text: 'no id' }] })
    await refused({ objects: ['a'] })
    await refused({ objects: [{ id: 'a', text: 'x'.repeat(65_536) }] })
    await refused({ objects: [{ id: 'a', text: '\0' }] })
    await refused({ objects: [{ id: 'a', '\0': 1 }] })
    await refused('{"objects":[{"id":"a","text":"\\ud800"}]}')
    await refused('{"objects":[{"id":"a","n":1e999}]}')
    await refused(`{"objects":[{"id":"a","deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`)
    await refused({ objects: Array.from({ length: 1_001 }, (_, n) => ({ id: String(n) })) })
    await refused({ deleted_ids: Array.from({ length: 1_001 }, (_, n) => String(n)) })
    await refused({ objects: named('a'), start_index: -1 })
    expect(await sync(page, {})).toMatchObject({ version: 1, total: 1 })
    await sync(999_999, {}, 404)
  })

  test('is refused when objects and remembered deleted ids of a page reach their bound together', async () => {
    const page = await addPage(alice, notebook)
    await sync(page, { objects: named('abc') })
    await sync(page, { deleted_ids: ['b'] })
    const [{ tombstones } = {}] = await service.sql`select tombstones from pages where id = ${page}`
    expect(tombstones).toBe(1)
    // As if so many objects had been drawn and erased that there is room for one more.
    await service.sql`update pages set tombstones = 100000 - 3 where id = ${page}`
    await sync(page, { objects: named('d') })
    expect(await sync(page, { objects: named('e') }, 409)).toMatchObject({ code: 'notes_full' })
    // Known objects can still be changed, erased and restored.
    await sync(page, { objects: named('d', { colour: 'red' }), deleted_ids: ['a'] })
    const { version } = await sync(page, {})
    await sync(page, { objects: named('ab'), version })
    expect(await sync(page, { objects: named('e') }, 409)).toMatchObject({ code: 'notes_full' })
    expect((await idsOf(page)).split('').sort().join('')).toBe('abcd')
  })

  test('is refused when one person’s objects in all notebooks reach their bound, also under concurrent syncs', async () => {
    const person = await service.person()
    const pages = await Promise.all(
      Array.from({ length: 6 }, async () => addPage(person, await createNotebook(person))),
    )
    const [full, first, ...others] = pages as [number, number, ...number[]]
    const draw = (page: number, id: string, status?: number) =>
      person.post(`/api/v01/pages/${page}/sync`, { objects: [{ id, text: 'x'.repeat(1_000) }] }, status)
    await draw(first, 'a', 200)
    // Room for three and a half such objects of 1,154 bytes, one of which exists.
    await service.sql`update pages set size = ${1024 ** 3 - 3.5 * 1_154} where id = ${full}`
    const answers = await Promise.all([first, ...others].map((page) => draw(page, 'b')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe('too_many')
    // Erasing frees the bytes, except those for remembering the id.
    await person.post(`/api/v01/pages/${first}/sync`, { deleted_ids: ['a'] }, 200)
    await draw(first, 'c', 200)
    await draw(first, 'd', 409)
    await person.delete(`/api/v01/pages/${full}`, 200)
    await draw(first, 'd', 200)
  })

  test('of many devices at once loses no object', async () => {
    const page = await addPage(alice, notebook)
    await Promise.all(
      Array.from({ length: 12 }, (_, device) =>
        sync(page, {
          objects: Array.from({ length: 20 }, (_, n) => ({ id: `${device}-${n}` })),
          start_index: device,
        }),
      ),
    )
    const ids = (await objectsOf(alice, page)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(240)
    expect((await alice.get(`/api/v01/pages/${page}`, 200)).body.page).toMatchObject({
      object_count: 240,
      version: 12,
    })
  })

  test('is read back in ranges', async () => {
    const page = await addPage(alice, notebook)
    const all = Array.from({ length: 700 }, (_, n) => ({ id: String(n), n }))
    await sync(page, { objects: all })
    const read = async (query: string) =>
      (await alice.get(`/api/v01/pages/${page}/objects?${query}`, 200)).body
    expect(await read('')).toEqual({ success: true, objects: all.slice(0, 200), total: 700 })
    expect((await read('start_index=690&limit=20')).objects).toEqual(all.slice(690))
    expect((await read('start_index=700')).objects).toEqual([])
    expect((await read(`start_index=${2 ** 31 - 1}`)).objects).toEqual([])
    expect((await read('limit=100000')).objects).toEqual(all.slice(0, 500))
    await alice.get(`/api/v01/pages/${page}/objects?limit=0`, 400)
  })
})

// Two devices.

/** What the page must be, computed in the simplest way. */
class Model {
  order: string[] = []
  readonly data = new Map<string, CanvasObject>()
  readonly dead = new Set<string>()

  apply({ objects = [], deleted_ids = [], start_index = 0 }: Sync): void {
    // The deletion of an unknown id is not remembered, but the id is not written in the same sync.
    for (const id of deleted_ids) if (this.data.has(id)) this.dead.add(id)
    const run = objects.filter(({ id }) => !this.dead.has(id) && !deleted_ids.includes(id))
    const lifted = [...this.dead, ...run.map(({ id }) => id)]
    this.order = this.order.filter((id) => !lifted.includes(id))
    this.order = [
      ...this.order.slice(0, start_index),
      ...run.map(({ id }) => id),
      ...this.order.slice(start_index),
    ]
    for (const object of run) this.data.set(object.id, object)
  }

  get objects(): (CanvasObject | undefined)[] {
    return this.order.map((id) => this.data.get(id))
  }
}

const INITIAL = ['i0', 'i1', 'i2', 'i3', 'i4', 'i5']

/** The syncs that one device sends after it was offline. */
function offlineWork(device: string): fc.Arbitrary<Sync[]> {
  const own = fc.nat(5).map((n) => `${device}${n}`)
  const id = fc.oneof(fc.constantFrom(...INITIAL), own)
  const object = fc.record({ id, by: fc.constant(device), x: fc.nat(9) })
  return fc.array(
    fc.record(
      {
        objects: fc.uniqueArray(object, { maxLength: 4, selector: (each) => each.id }),
        deleted_ids: fc.uniqueArray(id, { maxLength: 2 }),
        start_index: fc.nat(8),
      },
      { requiredKeys: [] },
    ),
    { minLength: 1, maxLength: 4 },
  )
}

test('after two devices were offline, the page is the same in whatever order they sync, without what was deleted', {
  timeout: 120_000,
  meta: { costly: 'merges random histories' },
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      offlineWork('a'),
      offlineWork('b'),
      fc.infiniteStream(fc.nat(1_000)),
      async (one, other, dice) => {
        const page = await addPage(alice, notebook)
        const model = new Model()
        const first = { objects: INITIAL.map((id) => ({ id })) }
        model.apply(first)
        await sync(page, first)
        // Each sync twice, in any order.
        const deliveries = [...one, ...other, ...one, ...other]
        for (let last = deliveries.length - 1; last > 0; last--) {
          const pick = (dice.next().value ?? 0) % (last + 1)
          ;[deliveries[last], deliveries[pick]] = [deliveries[pick] as Sync, deliveries[last] as Sync]
        }
        for (const delivery of deliveries) {
          model.apply(delivery)
          await sync(page, delivery)
        }
        const last = deliveries.at(-1) as Sync
        const { version } = await sync(page, last)
        expect((await alice.get(`/api/v01/pages/${page}`, 200)).body.page.version).toBe(version)
        const seen = await objectsOf(alice, page)
        expect(seen).toEqual(model.objects)
        for (const { id } of seen) expect(model.dead).not.toContain(id)
      },
    ),
    { numRuns: 15 },
  )
})
