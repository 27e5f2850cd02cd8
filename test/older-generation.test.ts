import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Tests of the newer generation, of what the older one answers in another way. */
const TESTS = ['test/features/exams.test.ts', 'test/features/attempts.taking.test.ts']

const run = promisify(execFile)

test('what docs/older-generation.md says deletes the older generation and leaves nothing of it', async () => {
  const copy = await copyTree()
  const page = await readFile(path.join(copy, 'docs/older-generation.md'), 'utf8')
  const [, commands = ''] = /```sh\n(.*?)```/s.exec(page) ?? []
  await run('bash', ['-euc', commands], { cwd: copy })

  const words = 'isOlder|OLDER_TYPES|newer_kinds|NewerKinds|IS_KNOWN_TO_OLDER|KnownToOlder|legacyGeneration'
  const found = await run('git', ['grep', '-nE', words, '--', 'src', 'schemas', 'desk/src'], {
    cwd: copy,
  }).then(
    ({ stdout }) => stdout,
    ({ code, stderr }) => (code === 1 ? '' : stderr),
  )
  expect(found).toBe('')

  const node = (args: string[]) => run(process.execPath, args, { cwd: copy, env: ownEnvironment() })
  await node(['node_modules/typescript/bin/tsc', '--noEmit'])
  const { stdout } = await node(['node_modules/vitest/vitest.mjs', 'run', '--project=quick', ...TESTS])
  expect(stdout).toMatch(/Tests .*\b[1-9]\d passed/)
}, 600_000)

/** The tree as a repository of its own, with the packages of this one. */
async function copyTree(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'exam-practice-tree-'))
  onTestFinished(() => rm(copy, { recursive: true }))
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    maxBuffer: 16 * 1024 * 1024,
  })
  for (const file of stdout.split('\0').filter(Boolean))
    await cp(path.join(ROOT, file), path.join(copy, file), { recursive: true }).catch(ignoreMissing)
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'))
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.org', ...args], {
      cwd: copy,
      maxBuffer: 16 * 1024 * 1024,
    })
  await git('init', '-q')
  await git('add', '-A')
  await git('commit', '-qm', 'the tree')
  return copy
}

/** A file that was deleted, and is not committed as such yet. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Without what the runner of this test tells its own processes, and without colours in what they say. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST.*|NODE_OPTIONS|TEST|FORCE_COLOR)$/.test(name),
  )
  return { ...Object.fromEntries(others), NO_COLOR: '1' }
}
