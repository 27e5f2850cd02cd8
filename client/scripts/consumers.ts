// Apps use the package as it is installed: on each supported compiler, rightly and wrongly, and in the frameworks of
// the README: npm run consumers -w client
import { execFileSync, spawnSync } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../test/consumers/', import.meta.url))
const dist = fileURLToPath(new URL('../dist/', import.meta.url))

execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' })
execFileSync(process.execPath, [fileURLToPath(new URL('build.ts', import.meta.url))], { stdio: 'inherit' })
// As an app installs it: from the tarball.
const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json'], { cwd: dist, encoding: 'utf8' }))
const tarball = `${dist}${packed.filename}`
execFileSync('npm', ['install', '--no-save', '--no-package-lock', tarball], { cwd: folder, stdio: 'inherit' })
await rm(tarball)

/** Of one compiler or recipe. */
const LIMIT_MS = 240_000

function run(what: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  })
  console.log(`${status === 0 ? 'works' : 'FAILS'}: ${what}`)
  if (status === 0) return
  console.log(stdout + stderr)
  process.exitCode = 1
}

const { dependencies } = JSON.parse(await readFile(`${folder}package.json`, 'utf8'))
const compilers = Object.keys(dependencies).filter((name) => name.startsWith('typescript'))
for (const compiler of compilers)
  for (const project of ['browser', 'server'])
    run(`${compiler}, ${project}`, [`node_modules/${compiler}/bin/tsc`, '-p', `tsconfig.${project}.json`])
run('the recipes compile', [`node_modules/${compilers.at(-1)}/bin/tsc`, '-p', 'tsconfig.recipes.json'])
for (const recipe of ['react', 'vue', 'svelte'])
  run(`the recipe of ${recipe}`, [
    '--conditions=browser',
    '--import=./recipes/dom.ts',
    `recipes/${recipe}.ts`,
  ])
for (const recipe of ['expo', 'phone', 'server']) run(`the recipe of ${recipe}`, [`recipes/${recipe}.ts`])
