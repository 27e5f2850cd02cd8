import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../support/client.ts'
import type { Operation, Schema } from '../../support/promises/documented.ts'
import { connectedPair, startService, type TestService } from '../../support/service.ts'

let service: TestService
let person: Client
let admin: Client
let conversationId: number
beforeAll(async () => {
  service = await startService()
  const pair = await connectedPair(service)
  person = pair.alice
  conversationId = pair.conversationId
  admin = await service.admin()
})
afterAll(() => service.close())

const callerFor = ({ path }: Operation) => (/\/admin\b|\/(pin|best-answer)$/.test(path) ? admin : person)
const fill = (path: string) => path.replaceAll(/\{[^}]+\}/g, '2147483647')
const takesNull = ({ type, anyOf, ...rest }: Schema & { enum?: unknown[]; const?: unknown }): boolean =>
  anyOf ? anyOf.some(takesNull) : type === 'null' || (!type && !rest.enum && rest.const === undefined)

describe('lenient input', () => {
  test('an empty query parameter counts as left out, whatever its type', async () => {
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

  test('null for an optional field counts as left out, unless null is one of its values', async () => {
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
    for (const given of ['yesterday', '2026-13-01T00:00:00Z', '12', '2026-11-20T25:00:00'])
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
})
