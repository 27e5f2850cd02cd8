import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

interface Described {
  operationId?: string
  summary?: string
  tags?: string[]
  parameters?: { in: string; name: string; schema?: object }[]
  requestBody?: { content: Record<string, { schema?: object }> }
  responses: Record<string, { description?: string }>
}

let service: TestService
let operations: { name: string; path: string; method: string; operation: Described }[]
let text: string
beforeAll(async () => {
  service = await startService()
  const { body } = await service.guest().get('/openapi.json', 200)
  text = JSON.stringify(body)
  expect(body.openapi).toMatch(/^3\.1\./)
  operations = Object.entries(body.paths as Record<string, Record<string, Described>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path}`,
        path,
        method,
        operation,
      })),
  )
})
afterAll(() => service.close())

test('every operation has a name of its own that can name a function', () => {
  const ids = operations.map(({ operation }) => operation.operationId ?? '')
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids).toContain('postAuthLogin')
  expect(ids).toContain('postWebLogin')
  expect(ids).toContain('getExamsByExamIdPaper')
})

test('every operation says what it is for, and describes each parameter of its path', () => {
  for (const { name, path, operation } of operations) {
    expect(operation.summary, name).toBeTruthy()
    expect(operation.tags, name).toHaveLength(1)
    const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map(([, parameter]) => parameter)
    const described = (operation.parameters ?? []).filter((each) => each.in === 'path')
    for (const parameter of inPath) expect(parameter, name).toMatch(/^\w+$/)
    expect(described.map((each) => each.name).sort(), name).toEqual(inPath.sort())
    for (const { description } of Object.values(operation.responses)) expect(description, name).toBeTruthy()
  }
})

test('every form and body is described; only what needs nothing has none', () => {
  const without = operations.filter(
    ({ method, operation }) => ['post', 'put', 'patch'].includes(method) && !operation.requestBody,
  )
  for (const { path } of without) expect(path).toMatch(/\/(logout|prepare|start|cancel|blocks\/\{user_id\})$/)
  for (const { name, operation } of operations)
    for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
      expect(schema, name).toBeDefined()
})

test('every reference leads somewhere', () => {
  const { components } = JSON.parse(text) as { components: { schemas: object } }
  const names = new Set([...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref))
  const known = Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`)
  for (const ref of names) expect(known).toContain(ref)
})
