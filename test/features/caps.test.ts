import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { connect, startService, type TestService } from '../support/service.ts'

// The caps of one person hold exactly, however many requests come at once and to whichever node.
let service: TestService
beforeAll(async () => {
  service = await startService({ nodes: 2 })
})
afterAll(() => service.close())

/** Sends the same request that many times at once, over both nodes; counts the answers by status. */
async function race(person: Client, count: number, ask: (client: Client) => Promise<{ status: number }>) {
  const nodes = [person, person.at(service.urls[1] as string)]
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => ask(nodes[n % 2] as Client)))
  return Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, { length }]) => [status, length]),
  )
}

test('a person has at most 2,000 notebooks', async () => {
  const person = await service.person()
  await service.sql`insert into notebooks (owner_id, title) select ${person.id}, 'One of many' from generate_series(1, 1995)`
  const make = (client: Client) => client.post('/api/v01/notebooks', { title: 'One more' })
  expect(await race(person, 12, make)).toEqual({ 201: 5, 409: 7 })
  expect((await make(person)).body).toMatchObject({ success: false, code: 'too_many' })
})

test('a person creates at most 500 groups, and is added to at most 50 a day by others', async () => {
  const [person, friend, other] = await Promise.all([service.person(), service.person(), service.person()])
  await Promise.all([connect(person, friend), connect(person, other), connect(other, friend)])
  const make = (client: Client, ...ids: number[]) =>
    client.post('/api/v01/chat/groups', { name: 'A group', member_ids: ids })

  // Two people add the same friend at once: together at most 50 times.
  const made = await Promise.all([
    race(person, 40, (client) => make(client, friend.id)),
    race(other, 20, (client) => make(client, friend.id)),
  ])
  expect((made[0][201] ?? 0) + (made[1][201] ?? 0)).toBe(50)
  const refused = await make(person, friend.id)
  expect(refused).toMatchObject({ status: 409, body: { code: 'too_many', ids: [friend.id] } })
  const group = (await make(person, other.id)).body.conv_id
  expect(
    await person.post(`/api/v01/chat/groups/${group}/members`, { member_ids: [friend.id] }),
  ).toMatchObject({ status: 409, body: { code: 'too_many' } })
  // Groups that they create themselves don't count.
  expect((await make(friend, other.id)).status).toBe(201)

  await service.sql`update group_additions set day = day - 1, count = 50`
  expect((await make(person, friend.id)).status).toBe(201)

  const [{ count }] =
    (await service.sql`select count(*)::int from conversations where creator_id = ${person.id}`) as unknown as [
      { count: number },
    ]
  await service.sql`insert into conversations (is_group, name, creator_id) select true, 'One of many', ${person.id} from generate_series(1, ${495 - count})`
  expect(await race(person, 12, (client) => make(client, other.id))).toEqual({ 201: 5, 409: 7 })
})

test('a person joins classes at most 500 times a day, so that leaving them again fills no log', async () => {
  const [admin, person] = await Promise.all([service.admin(), service.person()])
  const made = await admin.post('/api/v01/admin/classes', { name: 'Physics' }, 201)
  const classId = made.body.class.id
  const { code } = (await admin.post(`/api/v01/classes/${classId}/code`, {}, 200)).body
  const join = (client: Client) => client.post('/api/v01/classes/join', { code })
  const leave = () => person.delete(`/api/v01/classes/${classId}/membership`, 200)
  await service.sql`
    insert into audit_entries (actor_id, action, subject_type, subject_id, class_id, summary)
    select ${person.id}, 'class.join', 'class', ${classId}, ${classId}, 'Joined' from generate_series(1, 498)`
  for (let count = 498; count < 500; count++) {
    expect((await join(person)).status).toBe(200)
    await leave()
  }
  expect(await race(person, 4, join)).toEqual({ 409: 4 })
  expect((await join(person)).body.code).toBe('too_many')
  const log = (await admin.get(`/api/v01/admin/audit?class_id=${classId}&action=class.join`, 200)).body
  expect(log.total).toBe(500)
})

/** An image counts as at least this many bytes. */
const MIN_CHARGED_BYTES = 4_096

test('a person has at most 1 GiB of images in notes', async () => {
  const person = await service.person()
  const { notebook } = (await person.post('/api/v01/notebooks', { title: 'Photographs' }, 201)).body
  const { page } = (await person.post(`/api/v01/notebooks/${notebook.id}/pages`, {}, 201)).body
  const bytes = await makeImage('png')
  const add = (client: Client) =>
    client.request(
      'POST',
      `/api/v01/pages/${page.id}/assets`,
      form({}, { field: 'image', name: 'a.png', bytes }),
    )
  const first = await add(person)
  expect(first.status).toBe(201)
  await service.sql`update assets set size = ${1024 ** 3 - 3 * MIN_CHARGED_BYTES - 1} where id = ${first.body.asset.id}`
  expect(await race(person, 8, add)).toEqual({ 201: 3, 409: 5 })
  expect((await add(person)).body.code).toBe('too_many')
  // What a deletion frees can be used.
  await person.delete(`/api/v01/assets/${first.body.asset.id}`, 200)
  expect((await add(person)).status).toBe(201)
})

test('a page has at most 200 images', async () => {
  const person = await service.person()
  const { notebook } = (await person.post('/api/v01/notebooks', { title: 'Photographs' }, 201)).body
  const { page } = (await person.post(`/api/v01/notebooks/${notebook.id}/pages`, {}, 201)).body
  await service.sql`
    insert into assets (page_id, file_key, content_type, size, width, height)
    select ${page.id}, 'Notes/' || n || '.png', 'image/png', 1, 1, 1 from generate_series(1, 198) n`
  const bytes = await makeImage('png')
  const add = (client: Client) =>
    client.request(
      'POST',
      `/api/v01/pages/${page.id}/assets`,
      form({}, { field: 'image', name: 'a.png', bytes }),
    )
  expect(await race(person, 12, add)).toEqual({ 201: 2, 409: 10 })
  expect((await add(person)).body.code).toBe('notes_full')
})

test('a deleted id of a note is remembered only if there was such an object', async () => {
  const person = await service.person()
  const { notebook } = (await person.post('/api/v01/notebooks', { title: 'Scraps' }, 201)).body
  const { page } = (await person.post(`/api/v01/notebooks/${notebook.id}/pages`, {}, 201)).body
  const sync = (body: object) => person.post(`/api/v01/pages/${page.id}/sync`, body, 200)
  await sync({ objects: [{ id: 'known' }] })
  await sync({ deleted_ids: ['known', ...Array.from({ length: 900 }, (_, n) => `unknown ${n}`)] })
  const rows = await service.sql`select object_id from page_objects where page_id = ${page.id}`
  expect(rows.map(({ object_id }) => object_id)).toEqual(['known'])
  expect((await sync({ objects: [{ id: 'known' }, { id: 'unknown 1' }] })).body.total).toBe(1)
})
