import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

/** Tools that strangers use, each in a process of its own: they are large, and so not part of `npm ci`. */
const TOOLS = fileURLToPath(new URL('../generators/', import.meta.url))
const COMPILER = `${TOOLS}node_modules/typescript/bin/tsc`
const run = promisify(execFile)
// Compilers on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

beforeEach(({ skip }) =>
  skip(!existsSync(COMPILER), 'the tools are missing: npm ci --prefix test/generators'),
)

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-documents-'))
  for (const name of ['openapi.json', 'asyncapi.json'])
    await writeFile(`${folder}/${name}`, JSON.stringify((await service.guest().get(`/${name}`, 200)).body))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await service.close()
})

interface Finding {
  tool: string
  file: string
  severity: string
}

test('the recommended rules of redocly and spectral find no error in either document', async () => {
  await writeFile(`${folder}/broken.json`, JSON.stringify({ openapi: '3.1.0', paths: { '/a': { get: {} } } }))
  const files = ['openapi', 'asyncapi', 'broken'].map((name) => `${folder}/${name}.json`)
  const { stdout } = await run(process.execPath, [`${TOOLS}lint.js`, ...files])
  const errors = (JSON.parse(stdout) as Finding[]).filter(({ severity }) => severity === 'error')
  expect(errors.filter(({ file }) => !file.endsWith('/broken.json'))).toEqual([])
  // They do find some.
  expect(new Set(errors.map(({ tool }) => tool))).toEqual(new Set(['redocly', 'spectral']))
})

test('clients that openapi-typescript and hey-api generate compile, and work', async () => {
  const app = `${folder}/app`
  await mkdir(app)
  await run(process.execPath, [`${TOOLS}generate.js`, `${folder}/openapi.json`, app])
  await copyFile(`${TOOLS}app.ts`, `${app}/app.ts`)
  await symlink(`${TOOLS}node_modules`, `${app}/node_modules`)
  await writeFile(`${app}/package.json`, '{"type":"module"}')
  await writeFile(
    `${app}/tsconfig.json`,
    JSON.stringify({
      compilerOptions: {
        strict: true,
        target: 'es2022',
        lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
        module: 'nodenext',
        types: ['node'],
        outDir: 'out',
        skipLibCheck: true,
      },
      include: ['.'],
    }),
  )
  const { stdout: complaints } = await run(process.execPath, [COMPILER, '-p', app]).catch((error) => error)
  expect(complaints).toBe('')
  await writeFile(`${app}/out/package.json`, '{"type":"module"}')
  const { stdout } = await run(process.execPath, [`${app}/out/app.js`, service.urls[0] as string])
  expect(JSON.parse(stdout)).toEqual({
    heyApi: { exams: 0, code: 'not_found', title: 'Scraps' },
    openapiTypescript: { exams: 0, code: 'not_found' },
  })
})
