// Apps on each supported compiler use the built package, rightly and wrongly: npm run consumers -w client
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../test/consumers/', import.meta.url))
const scope = `${folder}node_modules/@exam-practice`

execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' })
execFileSync(process.execPath, [fileURLToPath(new URL('build.ts', import.meta.url))], { stdio: 'inherit' })
await mkdir(scope, { recursive: true })
await rm(`${scope}/client`, { force: true })
await symlink(fileURLToPath(new URL('../dist', import.meta.url)), `${scope}/client`)

const { dependencies } = JSON.parse(await readFile(`${folder}package.json`, 'utf8'))
for (const compiler of Object.keys(dependencies).filter((name) => name.startsWith('typescript')))
  for (const project of ['browser', 'server']) {
    const args = [`${folder}node_modules/${compiler}/bin/tsc`, '-p', `tsconfig.${project}.json`]
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    console.log(`${status === 0 ? 'compiles' : 'FAILS'}: ${compiler}, ${project}\n${stdout}`.trim())
    if (status !== 0) process.exitCode = 1
  }
