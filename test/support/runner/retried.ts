import type { Reporter, TestModule } from 'vitest/node'

/** Lists the tests that passed only on a second try, and why they failed first. Each one has to be repaired. */
export default class Retried implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0 && test.result().state === 'passed')
        .flatMap((test) => [
          `  ${module.relativeModuleId} > ${test.fullName}`,
          ...(test.result().errors ?? []).map(
            ({ message, stack }) => `    ${message}\n${stack?.split('\n').slice(1, 4).join('\n')}`,
          ),
        ]),
    )
    if (lines.length > 0) process.stdout.write(`\nneeded a second try:\n${lines.join('\n')}\n`)
  }
}
