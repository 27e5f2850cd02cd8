import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { SETTINGS } from '../src/settings/config.ts'

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

test('the unit for systemd starts again, keeps its data and itself to its own, and starts what there is', async () => {
  const unit = await read('deploy/exam-practice@.service')
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
  const wanted = {
    ...{ Restart: 'always', StartLimitIntervalSec: '0', StateDirectory: 'exam-practice', UMask: '0077' },
    CacheDirectory: 'exam-practice',
    ...{ ProtectSystem: 'strict', ProtectHome: 'true', PrivateTmp: 'true', NoNewPrivileges: 'true' },
    ...{ CapabilityBoundingSet: '', RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX' },
  }
  for (const [name, value] of Object.entries(wanted)) expect(settingOf(name), name).toBe(value)
  expect(Number(settingOf('RestartSec'))).toBeGreaterThan(0)
  const [program = '', ...args] = settingOf('ExecStart')?.split(' ') ?? []
  expect(program.startsWith(`${settingOf('WorkingDirectory')}/node_modules/`)).toBe(true)
  const files = args.filter((each) => each.endsWith('.ts'))
  expect(files).toHaveLength(2)
  for (const file of files) expect(existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true)
})

test('an alert tells of a queue of jobs that stands still', async () => {
  expect(await read('deploy/alerts.yml')).toMatch(
    /- alert: GenerationStandsStill\n\s+expr: min\(generation_up\) == 0\n/,
  )
})

test('the ingress waits as long, and takes uploads as large, as the configuration of nginx', async () => {
  const nginx = await read('deploy/nginx.conf')
  const ingress = await read('deploy/kubernetes/service.yaml')
  const [, size] = /client_max_body_size (\w+);/.exec(nginx) ?? []
  const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(nginx) ?? []
  expect(ingress).toContain(`proxy-body-size: ${size}\n`)
  expect(ingress).toContain(`proxy-read-timeout: '${seconds}'\n`)
})

test('CONTRIBUTING names how to write the client’s types anew, and where what belongs to a person is exported', async () => {
  const text = await read('CONTRIBUTING.md')
  const areas = 'features/account/account-export-areas.store.ts'
  expect(text).toContain('npm run generate -w client')
  expect(text).toContain(areas)
  expect(existsSync(new URL(`../src/${areas}`, import.meta.url))).toBe(true)
})

/** Tools of other people, which `npm ci --prefix test/generators` installs. */
const tools = createRequire(new URL('generators/package.json', import.meta.url))
const MODELS = new URL('generators/node_modules/kubernetes-models/index.js', import.meta.url)

test.runIf(existsSync(MODELS))(
  'the manifests are as Kubernetes’ own schemas want them, and fit together',
  async () => {
    const { parseAllDocuments } = tools('yaml') as typeof import('yaml')
    const folder = 'deploy/kubernetes'
    const files = globSync(`${folder}/*.yaml`, { cwd: new URL('..', import.meta.url) })
    const resources: string[] = parseAllDocuments(await read(`${folder}/kustomization.yaml`))[0]?.toJS()
      .resources
    expect(resources.map((name) => `${folder}/${name}`).toSorted()).toEqual(
      files.filter((file) => !file.endsWith('/kustomization.yaml')).toSorted(),
    )
    const kinds = new Map<string, Record<string, unknown>>()
    for (const file of files)
      for (const document of parseAllDocuments(await read(file))) {
        expect(document.errors).toEqual([])
        const manifest = document.toJS()
        if (manifest.kind === 'Kustomization') continue
        const [group, version = group] = manifest.apiVersion.split('/')
        const models = await import(
          new URL(`${group === version ? '' : `${group}/`}${version}/index.js`, MODELS).href
        )
        new models[manifest.kind](manifest).validate()
        expect(() =>
          new models[manifest.kind]({ ...manifest, metadata: { labels: [] } }).validate(),
        ).toThrow()
        kinds.set(manifest.kind, manifest)
      }
    expect([...kinds.keys()].toSorted()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'PodDisruptionBudget',
      'Service',
    ])
  },
)
