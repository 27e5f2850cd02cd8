import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { SETTINGS } from '../src/config.ts'

/** Settings that the image fixes, or that are of no use in it. */
const OF_THE_IMAGE = ['NODE_ENV', 'HOST', 'PORT', 'DATA_DIR']

const read = (file: string) => readFile(new URL(`../${file}`, import.meta.url), 'utf8')

test('the compose file passes every setting on, under its own name', async () => {
  const [, environment = ''] = /\n {2}environment:\n((?: {4}.*\n)+)/.exec(await read('compose.yaml')) ?? []
  const passed = environment.matchAll(/^ {4}([A-Z_]+): (.*)$/gm).toArray()
  const wanted = SETTINGS.filter((name) => !OF_THE_IMAGE.includes(name))
  expect(passed.map(([, name]) => name).toSorted()).toEqual(wanted.toSorted())
  for (const [, name, value] of passed) expect(value).toMatch(`\${${name}:`)
})

test('the first two blocks of the README run the service and the tests', async () => {
  const blocks = (await read('README.md')).matchAll(/^```sh\n([\s\S]*?)\n```$/gm).map(([, block]) => block)
  expect(blocks.take(2).toArray()).toEqual(['npm ci && npm start', 'npm ci && npm test'])
})

test('the example of settings and the README name every setting', async () => {
  const [example, readme] = await Promise.all([read('.env.example'), read('README.md')])
  for (const name of SETTINGS.filter((name) => name !== 'NODE_ENV')) expect(example).toContain(`# ${name}=`)
  for (const name of SETTINGS.filter((name) => !/^(NODE_ENV|AWS_|LEGACY_)/.test(name)))
    expect(readme).toContain(`\`${name}\``)
})
