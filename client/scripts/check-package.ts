// Builds what is published and looks at it as its users' tools will: npm run check-package -w client
import { execFileSync } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
execFileSync(process.execPath, [fileURLToPath(new URL('build.ts', import.meta.url))], { stdio: 'inherit' })

const { messages, pkg } = await publint({ pkgDir: dist, strict: true })
for (const message of messages) console.log(`publint: ${formatMessage(message, pkg)}`)

const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json'], { cwd: dist, encoding: 'utf8' }))
const tarball = dist + packed.filename
const analysis = await checkPackage(createPackageFromTarballData(await readFile(tarball)))
await rm(tarball)
if (!analysis.types) throw new Error('attw: no types')
// It is ESM alone, for whatever reads `exports`.
const problems = analysis.problems.filter(
  (problem) => !('resolutionKind' in problem && /^node10$|^node16-cjs$/.test(problem.resolutionKind)),
)
for (const problem of problems) console.log('attw:', problem)

const found = messages.length + problems.length
console.log(
  `${packed.name} ${packed.version}: ${packed.entryCount} files, ${packed.size} bytes; ${found} problems`,
)
process.exitCode = found > 0 ? 1 : 0
