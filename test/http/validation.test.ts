import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import type { Operation } from '../support/promises/documented.ts'
import { startService, type TestService } from '../support/service.ts'

// Whatever is sent to any operation, validation takes linear time and has bounds.
let service: TestService
let admin: Client

beforeAll(async () => {
  service = await startService()
  admin = await service.admin()
})
afterAll(() => service.close())

const MAX_ERRORS = 20

/** Texts on which careless regular expressions backtrack, as JSON. */
const HOSTILE = [
  `a@${'.'.repeat(150_000)}@`,
  `${'a'.repeat(150_000)}!`,
  `${' '.repeat(150_000)}x`,
  `2026-11-20T${'1:'.repeat(75_000)}`,
  `${'1,'.repeat(75_000)}x`,
  `${'\u0130'.repeat(75_000)}\u0000`,
].map((text) => JSON.stringify(text))

test('no field of any operation keeps the service busy with a hostile string', async () => {
  for (const [operation, field] of fieldsOf('string'))
    for (const text of HOSTILE) await expectQuick(operation, field, text)
}, 120_000)

test('a list full of wrong items is refused quickly, with few errors', async () => {
  const lists = ['0', '{}', '{"id":""}'].map(
    (item) => `[${Array(Math.floor(900_000 / (item.length + 1))).fill(item)}]`,
  )
  for (const [operation, field] of fieldsOf('array'))
    for (const list of lists) {
      const answer = await expectQuick(operation, field, list)
      if (answer.body.errors) expect(answer.body.errors.length).toBeLessThanOrEqual(MAX_ERRORS)
    }
}, 120_000)

test('a record full of wrong names, and a body full of unknown fields, are refused quickly, with few errors', async () => {
  const names = JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`x${n}`, n])))
  for (const [operation, field] of fieldsOf('object')) await expectQuick(operation, field, names)
  for (const operation of operations()) {
    const answer = await ask(operation, names)
    expect(answer.body.errors?.length ?? 0).toBeLessThanOrEqual(MAX_ERRORS)
  }
}, 120_000)

function operations(): Operation[] {
  return service.documented.operations.filter(({ body }) => body !== undefined)
}

function fieldsOf(type: string): [Operation, string][] {
  const found = operations().flatMap((operation) =>
    Object.entries(operation.body?.properties ?? {})
      .filter(([, schema]) => [schema, ...(schema.anyOf ?? [])].some((each) => each.type === type))
      .map(([field]): [Operation, string] => [operation, field]),
  )
  expect(found.length).toBeGreaterThan(0)
  return found
}

/** `body` is JSON text, so that the time for serialising it isn't measured. */
async function ask({ method, path }: Operation, body: string) {
  return admin.request(method, path.replaceAll(/\{[^}]+\}/g, '2147483647'), body)
}

async function expectQuick(operation: Operation, field: string, value: string) {
  const body = `{${JSON.stringify(field)}:${value}}`
  const began = performance.now()
  const answer = await ask(operation, body)
  const took = performance.now() - began
  const name = `${operation.method} ${operation.path} ${field}`
  expect(took, `${name}: ${value.slice(0, 40)}`).toBeLessThan(1_000)
  if (answer.body.code !== 'not_configured') expect(answer.status, name).toBeLessThan(500)
  return answer
}
