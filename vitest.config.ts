import { configDefaults, defineConfig } from 'vitest/config'
import { PATIENCE_MS } from './test/support/patience.ts'
import { LongestFirst } from './test/support/runner/longest-first.ts'

const ALL = ['test/**/*.test.ts', 'client/test/**/*.test.ts']

/** These compare times with a limit, so nothing else runs beside them. */
const TIMED = [
  'test/features/auth/flood.test.ts',
  'test/features/generation/large-files.test.ts',
  'test/gateway/pressure.test.ts',
  'test/http/deadline.test.ts',
  'test/http/turns.test.ts',
  'test/http/checking/validation.test.ts',
]

/**
 * Their results don't depend on the database and bus of the settings: code and documents that are only read, what a process
 * says, servers that a test brings itself, the pages of the desk, the client, parsers. Where the suite runs on several
 * databases, once is enough for them (`.ci/run`).
 */
const APART = [
  'client/test/**/*.test.ts',
  'test/{architecture,citations,cli,config,deploy,documented,process}.test.ts',
  'test/adapters/*.test.ts',
  'test/bus/memory.test.ts',
  'test/db/embedded/*.test.ts',
  'test/desk/*.test.ts',
  'test/faults/*.test.ts',
  'test/features/attempts/scoring.test.ts',
  'test/features/questions/exchange-hostile.test.ts',
  'test/features/questions/question.test.ts',
  'test/features/uploads/*.test.ts',
  'test/gateway/{admission,asyncapi,connection}.test.ts',
  'test/http/checking/patterns.test.ts',
  'test/http/{documents,metrics,openapi,requests,semantics,tracing}.test.ts',
  'test/nodes/{draining,rolling-restart}.test.ts',
]

const settings = {
  // Some files mostly wait for their own processes, so four workers keep two cores busy.
  maxWorkers: 4,
  // One module registry a worker: loading the whole service for each file would take as long as the tests.
  isolate: false,
  execArgv: ['--import', './src/quick-imports.ts'],
  // Long enough for a machine that stalls for a while. Tests wait for conditions, so they don't get slower by it.
  testTimeout: 2 * PATIENCE_MS,
  expect: { poll: { timeout: PATIENCE_MS } },
  hookTimeout: 2 * PATIENCE_MS,
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/runner/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: { ...settings, name: 'apart', include: APART, exclude: [...configDefaults.exclude, ...TIMED] },
      },
      {
        test: {
          ...settings,
          name: 'stored',
          include: ALL,
          exclude: [...configDefaults.exclude, ...APART, ...TIMED],
        },
      },
      { test: { ...settings, name: 'timed', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
