import type { Reporter, TestModule } from 'vitest/node'

/** Names the tests that passed only when they were tried again: each of them stands for something to mend. */
export default class Retried implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0 && test.result().state === 'passed')
        .map((test) => `  ${module.relativeModuleId} > ${test.fullName}`),
    )
    if (names.length > 0) process.stdout.write(`\nneeded a second try:\n${names.join('\n')}\n`)
  }
}
