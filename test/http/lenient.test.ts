import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import type { Operation, Schema } from '../support/promises/documented.ts'
import { connectedPair, sharedService } from '../support/service.ts'

const service = await sharedService()
let person: Client
let admin: Client
let conversationId: number
beforeAll(async () => {
  const pair = await connectedPair(service)
  person = pair.alice
  conversationId = pair.conversationId
  admin = await service.admin()
})

const callerFor = ({ path }: Operation) => (/\/admin\b|\/(pin|best-answer)$/.test(path) ? admin : person)
const fill = (path: string) => path.replaceAll(/\{[^}]+\}/g, '2147483647')
const takesNull = ({ type, anyOf, ...rest }: Schema & { enum?: unknown[]; const?: unknown }): boolean =>
  anyOf ? anyOf.some(takesNull) : type === 'null' || (!type && !rest.enum && rest.const === undefined)

describe('lenient input', () => {
  test('an empty query parameter counts as left out, whatever its type', {
    meta: { costly: 'asks every operation' },
  }, async () => {
    const chosen = service.documented.operations.filter(
      ({ method, parameters }) => method === 'GET' && parameters.some((each) => each.in === 'query'),
    )
    expect(chosen.length).toBeGreaterThan(15)
    for (const operation of chosen) {
      const names = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name)
      const get = (query: string) => callerFor(operation).get(`${fill(operation.path)}?${query}`)
      const { status, body } = await get('')
      for (const query of names
        .map((name) => `${name}=`)
        .concat(names.map((name) => `${name}=%20`).join('&'))) {
        const answer = await get(query)
        expect(answer.status, `${operation.path}?${query}`).toBe(status)
        if (typeof body === 'object') expect(Object.keys(answer.body)).toEqual(Object.keys(body))
      }
    }
  })

  test('null for an optional field counts as left out, unless null is one of its values', {
    meta: { costly: 'asks every operation' },
  }, async () => {
    let fields = 0
    for (const operation of service.documented.operations) {
      const { body, method, path } = operation
      if (!body?.properties) continue
      const required = (body as { required?: string[] }).required ?? []
      for (const [name, schema] of Object.entries(body.properties)) {
        if (required.includes(name) || takesNull(schema)) continue
        fields += 1
        const send = (given: object) => callerFor(operation).request(method, fill(path), given)
        const [without, withNull] = [await send({}), await send({ [name]: null })]
        expect(withNull, `${method} ${path} ${name}`).toMatchObject({
          status: without.status,
          body: without.body,
        })
      }
    }
    expect(fields).toBeGreaterThan(30)
  })

  test('null clears fields that can be null, and is refused for required ones', async () => {
    const make = {
      name: 'Timed',
      duration_minutes: 30,
      max_attempts: 2,
      description: null,
      is_published: null,
    }
    const { exam } = (await admin.request('POST', '/api/v01/admin/exams', make, 201)).body
    expect(exam).toMatchObject({ duration_minutes: 30, max_attempts: 2, description: '' })
    const change = { duration_minutes: null, max_attempts: null, name: null, result_mode: null }
    const changed = (await admin.patch(`/api/v01/admin/exams/${exam.id}`, change, 200)).body.exam
    expect(changed).toMatchObject({ name: 'Timed', duration_minutes: null, max_attempts: null })
    await admin.post('/api/v01/admin/exams', { name: null }, 400)
    const nothing = await admin.patch(`/api/v01/admin/exams/${exam.id}`, { name: null }, 400)
    expect(nothing.body.code).toBe('nothing_to_update')
  })

  test('a time without a zone is UTC', async () => {
    await person.send(conversationId, 'First', undefined, 201)
    await person.send(conversationId, 'Second', undefined, 201)
    const path = `/api/v01/chat/conversations/${conversationId}/messages` as const
    const { messages } = (await person.get(path, 200)).body
    const before = messages.at(-1)?.created_at ?? ''
    for (const given of [
      before,
      before.replace('Z', ''),
      before.replace('T', ' ').replace('Z', ''),
      before.replace('Z', '+00:00'),
    ]) {
      const { body } = await person.get(`${path}?before=${encodeURIComponent(given)}`, 200)
      expect(
        body.messages.map(({ message }) => message),
        given,
      ).toEqual(['First'])
    }
    for (const given of [
      'yesterday',
      '2026-13-01T00:00:00Z',
      '12',
      '2026-11-20T25:00:00',
      '2030-04-31T12:00:00Z',
      '2030-02-29',
      '9999-12-31T23:59:59-14:00',
    ])
      expect((await person.get(`${path}?before=${given}`, 400)).body.errors).toEqual([
        { path: '/before', message: expect.stringContaining('must be a time') },
      ])
  })

  test('each invalid field has one error, in plain words', async () => {
    const { body } = await service
      .guest()
      .post('/api/v01/auth/register', { username: '!', email: 'x', password: 'short', full_name: '' }, 400)
    expect(body.errors?.map(({ path }) => path).sort()).toEqual([
      '/email',
      '/full_name',
      '/password',
      '/username',
    ])
    for (const { message } of body.errors ?? [])
      expect(message).not.toMatch(/[\^$\\[\]{}]|pattern|schema|properties|minLength|anyOf/i)
  })

  test('all invalid fields are named, whatever is wrong with them', async () => {
    const refusal = async (path: string, body: object) =>
      (await admin.request('POST', path, body, 400)).body.errors
    const exam = {
      name: 'x'.repeat(300_000),
      description: '\ud800',
      duration_minutes: 'long',
      max_attempts: 1.5,
      result_mode: 'never',
      is_published: 'yes',
      opens_at: '2030-04-31',
      closes_at: 'never',
    }
    const time = 'must be a time such as 2026-11-20T10:15:00.000Z'
    expect(await refusal('/api/v01/admin/exams', exam)).toEqual([
      { path: '/name', message: 'must be at most 200 characters long' },
      { path: '/description', message: 'holds characters that cannot be stored' },
      { path: '/duration_minutes', message: 'must be a whole number or null' },
      { path: '/max_attempts', message: 'must be a whole number or null' },
      { path: '/result_mode', message: 'must be one of instant, on_release' },
      { path: '/is_published', message: 'must be true or false' },
      { path: '/opens_at', message: time },
      { path: '/closes_at', message: time },
    ])
    const days = 'timePeriod=custom&exam=0&startDate=2030-04-31&endDate=2030-02-29' as const
    const pathsOf = (errors: { path: string }[] | undefined) => errors?.map(({ path }) => path).sort()
    expect(pathsOf((await admin.get(`/api/v01/admin/analytics?${days}`, 400)).body.errors)).toEqual([
      '/endDate',
      '/exam',
      '/startDate',
    ])
    const settings = { messages: 'some', time_zone: 'Mars/Olympus' }
    const refused = await admin.request('PATCH', '/api/v01/push/settings', settings, 400)
    expect(pathsOf(refused.body.errors)).toEqual(['/messages', '/time_zone'])
    expect(await refusal('/api/v01/admin/exams', {})).toEqual([{ path: '/name', message: 'is required' }])
    expect(await refusal('/api/v01/admin/exams', [1] as object)).toEqual([
      { path: '', message: 'must be an object' },
    ])
  })

  test('names have something that can be seen, and nobody has that of deleted accounts', async () => {
    const invisible = ['\u200b', '\u2060\u00ad', '\u3164', '\ufe0f', '\u{e0041}', '\u2800', '\u202e']
    const refuse = async (answer: Promise<{ body: { errors?: { path: string }[] } }>, path: string) =>
      expect((await answer).body.errors).toEqual([{ path, message: expect.stringContaining('can be seen') }])
    const account = '/api/v01/account'
    for (const name of invisible) {
      await refuse(person.patch(account, { full_name: name }, 400), '/full_name')
      await refuse(person.post('/api/v01/chat/groups', { name, member_ids: [admin.id] }, 400), '/name')
      await refuse(admin.post('/api/v01/admin/exams', { name }, 400), '/name')
      await refuse(person.post('/api/v01/notebooks', { title: name }, 400), '/title')
    }
    for (const name of ['Deleted Account', 'deleted  ACCOUNT', 'De\u200bleted Account', 'Ｄeleted Account'])
      await refuse(person.patch(account, { full_name: name }, 400), '/full_name')
    // Joiners belong to words of many scripts, and signs of direction to some.
    for (const name of ['می\u200cخواهم', '👩\u200d🚀', 'Deleted Accounts', '\u200fשלום'])
      expect((await person.patch(account, { full_name: name }, 200)).status).toBe(200)
  })

  test('lengths are counted in code points, also of texts that are much too long', async () => {
    const name = (length: number) => ({ name: '😀'.repeat(length) })
    await admin.post('/api/v01/admin/exams', name(200), 201)
    for (const length of [201, 100_000])
      expect((await admin.post('/api/v01/admin/exams', name(length), 400)).body.errors).toEqual([
        { path: '/name', message: 'must be at most 200 characters long' },
      ])
  })

  test('wrong entries of lists are named, those of a list that is too long and the last of many too', async () => {
    const refusal = async (path: string, body: object) =>
      (await admin.request('POST', path, body, 400)).body.errors
    const counts = '/api/v01/discussions/counts'
    expect(await refusal(counts, { question_ids: ['x', 1, 0] })).toEqual([
      { path: '/question_ids/0', message: 'must be a whole number' },
      { path: '/question_ids/2', message: 'must be at least 1' },
    ])
    expect(await refusal(counts, { question_ids: ['x', ...Array(500).fill(1), 'x'] })).toEqual([
      { path: '/question_ids', message: 'must have at most 100 entries' },
      { path: '/question_ids/0', message: 'must be a whole number' },
    ])
    const question = { question_text: 'Two?', correct_answer: ['A', {}] }
    const right = { question_text: 'One?', correct_answer: 'A', tolerance: null }
    const bulk = { exam_id: 'x', questions: [...Array(9_998).fill(right), question, 5] }
    expect(await refusal('/api/v01/admin/questions/bulk-add', bulk)).toEqual([
      { path: '/exam_id', message: 'must be a whole number' },
      {
        path: '/questions/9998/correct_answer/1',
        message: 'must be text or a number or true or false or null',
      },
      { path: '/questions/9999', message: 'must be an object' },
    ])
  })
})
