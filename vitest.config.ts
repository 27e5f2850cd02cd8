import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Each file has its own database. Some mostly wait for processes of their own: three keep two cores busy.
    maxWorkers: 3,
    // One module registry a worker: loading the whole service for each file would take as long as the tests.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
