import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from './support/client.ts'
import { startModel, type TestModel } from './support/outside/model.ts'
import type { Operation, Schema } from './support/promises/documented.ts'
import { connectedPair, startService, type TestService } from './support/service.ts'

/**
 * Sends every documented operation valid values of its schemas, and values just outside of them. The
 * client checks each answer against what the operation declares. `FUZZ_RUNS` says how many requests are made,
 * `SEED` repeats a failed run.
 */
const RUNS = Number(process.env.FUZZ_RUNS ?? 400)
/** Most ids in requests are at most this, since there are things with such ids. */
const LARGEST_USUAL_ID = 5
let model: TestModel
let service: TestService
let person: Client
let admin: Client

beforeAll(async () => {
  model = await startModel()
  service = await startService({ config: { ai: model.ai } })
  // Small numbers are their ids: an administrator's call that suspends somebody meets none of the two who call.
  await Promise.all(Array.from({ length: LARGEST_USUAL_ID }, () => service.person()))
  ;({ alice: person } = await connectedPair(service))
  admin = await service.admin()
  const exam = (await admin.post('/api/v01/admin/exams', { name: 'An exam', is_published: true }, 201)).body
    .exam
  const question = { question_text: 'Which?', option_a: 'a', option_b: 'b', correct_answer: 'A' }
  await admin.post('/api/v01/admin/questions/bulk-add', { exam_id: exam.id, questions: [question] }, 201)
  const { notebook } = (await person.post('/api/v01/notebooks', { title: 'Scraps', is_public: true }, 201))
    .body
  await person.post(`/api/v01/notebooks/${notebook.id}/pages`, {}, 201)
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})

/** Operations that end the session or the account of their caller: each call gets a new person. */
const ENDING = /logout|^DELETE \/api(\/v01)?\/account$|\/sessions\/|account\/password$/

const ODD_TEXT = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '😀',
    '-1',
    '1e309',
    '%00',
    '../..',
    "' or 1=1 --",
    'null',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.nat(60_000).map((length) => 'x'.repeat(length)),
)
const ODD = fc.oneof(
  ODD_TEXT,
  fc.constantFrom(null, true, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e300, [], {}, [[[[]]]], [null], { id: null }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Mostly values that fit a schema; now and then one just outside of it, or anything. */
function around(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 8, arbitrary: within(schema) },
    { weight: 1, arbitrary: beside(schema) },
    { weight: 1, arbitrary: ODD },
  )
}

function within(schema: Schema): fc.Arbitrary<unknown> {
  const { anyOf, type, properties, items, pattern } = schema
  const {
    enum: choices,
    const: only,
    minimum,
    maximum,
  } = schema as { enum?: unknown[]; const?: unknown; minimum?: number; maximum?: number }
  if (only !== undefined) return fc.constant(only)
  if (choices) return fc.constantFrom(...choices)
  if (anyOf) return fc.oneof(...anyOf.map(around))
  switch (type) {
    case 'string':
      return pattern?.includes('uD800') || !pattern
        ? fc.string({ unit: 'grapheme', maxLength: Math.min(schema.maxLength ?? 40, 40) })
        : fc.stringMatching(new RegExp(pattern, 'u'))
    case 'integer':
      return fc.oneof(
        fc.integer({
          min: Math.max(minimum ?? 0, 0),
          max: Math.min(maximum ?? LARGEST_USUAL_ID, LARGEST_USUAL_ID),
        }),
        fc.integer({ min: minimum ?? -9, max: Math.min(maximum ?? 2 ** 31, 2 ** 31) }),
      )
    case 'number':
      return fc.double({ min: minimum ?? -1e6, max: maximum ?? 1e6, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(around(items ?? {}), { maxLength: 4 })
    case 'object': {
      const required = (schema as { required?: string[] }).required ?? []
      const fields = Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, each]) => [name, around(each)]),
      )
      return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
    }
    case 'null':
      return fc.constant(null)
  }
  return ODD
}

function beside(schema: Schema): fc.Arbitrary<unknown> {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number }
  return fc.constantFrom<unknown>(
    ...[minimum, maximum].flatMap((bound) => (bound === undefined ? [] : [bound, bound - 1, bound + 1])),
    ...(schema.maxLength === undefined
      ? []
      : ['é'.repeat(schema.maxLength), 'é'.repeat(schema.maxLength + 1)]),
    null,
  )
}

interface Call {
  operation: Operation
  path: string
  body: unknown
}

function calls(operations: Operation[]): fc.Arbitrary<Call> {
  return fc.constantFrom(...operations).chain((operation) => {
    const { path, parameters, body } = operation
    const values = Object.fromEntries(parameters.map((each) => [each.name, around(each.schema)]))
    return fc
      .record({
        values: fc.record(values, {
          requiredKeys: parameters.flatMap(({ name, in: place }) => (place === 'path' ? [name] : [])),
        }),
        body: body ? around(body) : fc.constant(undefined),
      })
      .map(({ values: given, body: sent }) => ({
        operation,
        path: fill(path, parameters, given),
        body: sent,
      }))
  })
}

function fill(path: string, parameters: Operation['parameters'], given: Record<string, unknown>): string {
  const encode = (value: unknown) => {
    const plain = typeof value === 'object' ? JSON.stringify(value) : String(value)
    const text = encodeURIComponent(plain.toWellFormed().slice(0, 500))
    // Clients take `.` and `..` out of a path before they send it.
    return /^\.{0,2}$/.test(text) ? '1' : text
  }
  const named = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encode(given[name] ?? 1))
  const query = parameters.flatMap(({ name, in: place }) =>
    place === 'query' && given[name] !== undefined
      ? [`${encodeURIComponent(name)}=${encode(given[name])}`]
      : [],
  )
  return query.length > 0 ? `${named}?${query.join('&')}` : named
}

test('whatever is sent, no operation answers 5xx or what it doesn’t declare', {
  timeout: 60_000 + RUNS * 500,
  meta: { costly: 'sends many requests to every operation' },
}, async () => {
  const { operations } = service.documented
  await fc.assert(
    fc.asyncProperty(calls(operations), async ({ operation: { method, path: pattern }, path, body }) => {
      const by = ENDING.test(`${method} ${pattern}`)
        ? await service.person()
        : /\/admin\b|\/(pin|best-answer)$/.test(pattern)
          ? admin
          : person
      const answer = await by.request(method, path, body)
      const { body: said } = answer
      // A page has the code in its text.
      const code = typeof said === 'string' ? /\bnot_configured\b/.exec(said)?.[0] : said?.code
      if (code !== 'not_configured')
        expect(answer.status, `${method} ${path} ${JSON.stringify(body)}`).toBeLessThan(500)
    }),
    { numRuns: RUNS, endOnFailure: true, ...(process.env.SEED ? { seed: Number(process.env.SEED) } : {}) },
  )
  // Both sessions are still valid, so the requests were not all refused as 401.
  await person.get('/api/v01/auth/me', 200)
  await admin.get('/api/v01/admin/users/counts', 200)
})
