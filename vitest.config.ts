import { configDefaults, defineConfig } from 'vitest/config'
import { PATIENCE_MS } from './test/support/patience.ts'
import { LongestFirst } from './test/support/runner/longest-first.ts'

/** These compare times with a limit, so nothing else runs beside them. */
const TIMED = [
  'test/features/auth.flood.test.ts',
  'test/features/generation.large-files.test.ts',
  'test/gateway/pressure.test.ts',
  'test/http/deadline.test.ts',
  'test/http/turns.test.ts',
  'test/http/validation.test.ts',
]

/** Browsers, proxies, processes that are started and killed, database servers of a test's own, hostile files. */
const HEAVY = [
  'client/test/browser/*.test.ts',
  'test/{cli,image,process}.test.ts',
  'test/bus/redis-cluster.test.ts',
  'test/db/{address,failover,pooler,replica}.test.ts',
  'test/db/embedded/*.test.ts',
  'test/desk/*.test.ts',
  'test/faults/*.test.ts',
  'test/features/{backup,chat.hostile-files,generation.takeover,questions.exchange-hostile,uploads.bombs}.test.ts',
  'test/nodes/{draining,killed,proxy-limits,redis-away,redis-replaced,rolling-restart}.test.ts',
]

/**
 * Their results don't depend on the database and bus of the settings: code and documents that are only read, the client,
 * parsers. Where the suite runs on several databases, once is enough for them (`.ci/run`).
 */
const APART = [
  'client/test/**/*.test.ts',
  'test/{architecture,citations,config,deploy,documented}.test.ts',
  'test/adapters/*.test.ts',
  'test/bus/memory.test.ts',
  'test/features/attempts.kinds-scoring.test.ts',
  'test/features/attempts.scoring.test.ts',
  'test/features/questions.leaks.test.ts',
  'test/features/questions.checks.test.ts',
  'test/features/uploads.*.test.ts',
  'test/gateway/{asyncapi,connection}.test.ts',
  'test/http/patterns.test.ts',
  'test/http/{documents,metrics,openapi,requests,semantics,tracing}.test.ts',
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
      project('stored', ['test/**/*.test.ts', 'client/test/**/*.test.ts'], [...APART, ...HEAVY, ...TIMED]),
      project('apart', APART, [...HEAVY, ...TIMED]),
      project('heavy', HEAVY, []),
      project('timed', TIMED, [], { maxWorkers: 1, sequence: { groupOrder: 1 } }),
    ],
  },
})

function project(name: string, include: string[], others: string[], more = {}) {
  return { test: { ...settings, name, include, exclude: [...configDefaults.exclude, ...others], ...more } }
}
