import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findCircles, findViolations } from './support/promises/architecture.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

async function readSources(...patterns: string[]): Promise<Map<string, string>> {
  const sources = new Map<string, string>()
  for await (const file of glob(patterns, { cwd: root }))
    sources.set(file.replaceAll('\\', '/'), await readFile(`${root}/${file}`, 'utf8'))
  return sources
}

test('every import goes from an outer layer to an inner one, and there is no circle', async () => {
  const sources = await readSources('src/**/*.ts', 'schemas/**/*.ts')
  expect(sources.size).toBeGreaterThan(40)
  expect(findViolations(sources)).toEqual([])
})

test('the imports of the client and of the desk close no circle', async () => {
  const sources = await readSources('{client/src,desk/src,desk/worker,schemas}/**/*.{ts,tsx}')
  expect(sources.size).toBeGreaterThan(200)
  expect(findCircles(sources)).toEqual([])
})

test('the package that reads and writes files of questions stands alone, and closes no circle', async () => {
  const sources = await readSources('packages/exchange/src/**/*.ts')
  expect(sources.size).toBeGreaterThan(20)
  expect(findCircles(sources)).toEqual([])
  const { dependencies } = JSON.parse(await readFile(`${root}/packages/exchange/package.json`, 'utf8'))
  const strangers = [...sources].flatMap(([file, source]) =>
    [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]
      .map(([, name = '']) => (name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name))
      .filter((name) => !name.startsWith('packages/exchange/src/') && !name.startsWith('node:'))
      .filter((name) => !(name in dependencies)),
  )
  expect(strangers).toEqual([])
})

test('no name of a file in src and schemas occurs twice', async () => {
  const names: string[] = []
  for await (const file of glob(['src/**/*.ts', 'schemas/**/*.ts'], { cwd: root }))
    names.push(path.basename(file))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('docs/architecture.md names every file that stands in no folder of src', async () => {
  const described = await readFile(`${root}/docs/architecture.md`, 'utf8')
  const names: string[] = []
  for await (const file of glob('src/*.ts', { cwd: root })) names.push(path.basename(file))
  expect(names.filter((name) => !new RegExp(`\\b${name}\``).test(described))).toEqual([])
})

test('advisory locks are taken in one file, besides migrations', async () => {
  const users: string[] = []
  for await (const file of glob('src/**/*.ts', { cwd: root }))
    if ((await readFile(`${root}/${file}`, 'utf8')).includes('pg_advisory')) users.push(path.basename(file))
  // Migrations run before there is a pool, on a connection of their own.
  expect(users.sort()).toEqual(['locks.ts', 'migrate.ts'])
})

test('what depends on the type of a question is in its kind, or in a table by type', async () => {
  const type = /'(?:MCQ|MSQ|NUMERIC|SHORT|MATCHING|ORDERING|GAPS|FORMULA)'/.source
  const asked = new RegExp(`[!=]== *${type}|${type} *[!=]==|case ${type}`)
  const asking: string[] = []
  for await (const file of glob(['src/**/*.ts', 'schemas/**/*.ts', 'desk/src/**/*.{ts,tsx}'], { cwd: root }))
    if (asked.test(await readFile(`${root}/${file}`, 'utf8'))) asking.push(file)
  expect(asking).toEqual([])
})

test('tests send requests through the client that compares answers with the documents', async () => {
  const others: string[] = []
  for await (const file of glob('test/**/*.ts', { cwd: root, exclude: ['test/generators/**'] }))
    if (/(?<![.\w])fetch\(/.test(await readFile(`${root}/${file}`, 'utf8'))) others.push(path.basename(file))
  // The client itself, the documents, and what a proxy answers without asking a node.
  expect(others.sort()).toEqual([
    'client.ts',
    'documented.ts',
    'proxy-returns.test.ts',
    'rolling-restart.test.ts',
  ])
})

describe('the rules catch', () => {
  const cases: [name: string, sources: Record<string, string>, violation: string][] = [
    [
      'an import against the direction',
      { 'src/db/database-client.ts': "import { x } from '../features/chat/groups.service.ts'" },
      'infrastructure imports from service',
    ],
    [
      'a type import against the direction',
      { 'schemas/chat.schemas.ts': "import type { Core } from '../src/core.ts'" },
      'schemas imports from core',
    ],
    [
      'a dynamic import against the direction',
      { 'src/core.ts': "const app = await import('./app.ts')" },
      'core imports from app',
    ],
    [
      "another feature's store",
      { 'src/features/exams/exams.service.ts': "import * as store from '../chat/messages.store.ts'" },
      'a store is used by its own feature alone',
    ],
    [
      'a route that goes past the service',
      { 'src/features/chat/conversations/groups.routes.ts': "import * as store from './groups.store.ts'" },
      'transport reaches stores through services',
    ],
    [
      'a route that uses another feature’s route',
      { 'src/features/chat/chat.routes.ts': "import { x } from '../auth/auth.routes.ts'" },
      'transports do not use one another',
    ],
    [
      'a gateway that knows a feature',
      { 'src/gateway/sockets.ts': "import { x } from '../features/chat/conversations.service.ts'" },
      'gateway knows no feature',
    ],
    ['a file in no layer', { 'src/lost/things.ts': "import { x } from '../errors.ts'" }, 'lies in no layer'],
    [
      'a circle',
      {
        'src/features/a/a.service.ts': "import { b } from '../b/b.service.ts'",
        'src/features/b/b.service.ts': "import type { C } from './c.ts'",
        'src/features/b/c.ts': "import { a } from '../a/a.service.ts'",
      },
      'circle: src/features/a/a.service.ts → src/features/b/b.service.ts → src/features/b/c.ts → src/features/a/a.service.ts',
    ],
  ]
  test.each(cases)('%s', (_name, sources, violation) => {
    expect(findViolations(new Map(Object.entries(sources))).join('\n')).toContain(violation)
  })
})
