import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

test('every operation of the newer generation is used by the desk, or docs/desk.md says why not', async () => {
  const { body } = await service.guest().get('/openapi.json', 200)
  const operations = Object.entries(body.paths as Record<string, object>)
    .filter(([address]) => address.startsWith('/api/v01/'))
    .flatMap(([address, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${address}`),
    )
  const used = new Set<string>()
  for await (const file of glob('desk/src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const source = await readFile(path.join(ROOT, file), 'utf8')
    for (const [, method, address] of source.matchAll(/client\s*\.([A-Z]+)\(\s*'([^']+)'/g))
      used.add(`${method} ${address}`)
  }
  const documentation = await readFile(path.join(ROOT, 'docs/desk.md'), 'utf8')
  const explained = [...documentation.matchAll(/^\| `([A-Z]+ \/api\/[^`]+)` \|/gm)].map(
    ([, operation]) => operation as string,
  )
  expect(operations.filter((each) => !used.has(each) && !explained.includes(each))).toEqual([])
  // What is used now needs no reason any more, and what doesn't exist neither.
  expect(explained.filter((each) => used.has(each) || !operations.includes(each))).toEqual([])
})
