import { configDefaults, defineConfig } from 'vitest/config'
import { PATIENCE_MS } from './test/support/patience.ts'
import { LongestFirst } from './test/support/runner/longest-first.ts'

/** These compare times with a limit, so nothing else runs beside them. */
const TIMED = [
  'test/features/auth.flood.test.ts',
  'test/features/generation.large-files.test.ts',
  'test/features/uploads.bombs.test.ts',
  'test/gateway/pressure.test.ts',
  'test/http/deadline.test.ts',
  'test/http/turns.test.ts',
  'test/http/validation.test.ts',
]

const BROWSERS = ['client/test/browser/*.test.ts', 'test/desk/*.test.ts']

/**
 * Proxies, processes that are started and killed, database servers of a test's own, hostile files, other
 * people's tools, long random walks and large numbers.
 */
const HEAVY = [
  'client/test/model.test.ts',
  'packages/exchange/test/hostile-files.test.ts',
  'test/{cli,database-away,image,older-generation,process}.test.ts',
  'test/bus/redis-cluster.test.ts',
  'test/db/{address,failover,pooler,replica}.test.ts',
  'test/db/embedded/*.test.ts',
  'test/faults/*.test.ts',
  'test/features/{backup,chat.hostile-files,generation.takeover,questions.exchange-hostile}.test.ts',
  'test/features/{account.erasing,account.export,practice.replay}.test.ts',
  'test/features/{generation.hostile-files,materials.hostile-files,materials.takeover}.test.ts',
  'test/gateway/convergence.test.ts',
  'test/http/documents.test.ts',
  'test/nodes/{draining,killed,proxy-limits,proxy-returns,redis-away,redis-replaced,rolling-restart}.test.ts',
]

const settings = {
  // Some files mostly wait for their own processes, so four workers keep two cores busy.
  maxWorkers: 4,
  // One module registry a worker: loading the whole service for each file would take as long as the tests.
  isolate: false,
  // Services come and go in these processes: with more room for young objects, garbage is collected less often.
  execArgv: ['--import', './src/quick-imports.ts', '--max-semi-space-size=64'],
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
        test: {
          ...settings,
          name: 'quick',
          setupFiles: ['test/support/runner/costs.ts'],
          include: ['{test,client/test,packages/*/test}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...BROWSERS, ...HEAVY, ...TIMED],
        },
      },
      { test: { ...settings, name: 'browsers', include: BROWSERS } },
      { test: { ...settings, name: 'heavy', include: HEAVY, maxConcurrency: 6 } },
      { test: { ...settings, name: 'timed', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
