import { beforeEach } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a quick test takes more than two seconds of processor time. */
    costly?: string
  }
}

const LIMIT_MS = 2_000
/** What `measureLoop` takes on a machine of 2026 that does nothing else. */
const LOOP_MS = 120

// A worker runs one test at a time, so what its process takes meanwhile is the test's.
beforeEach(({ task }) => {
  const begun = process.cpuUsage()
  return () => {
    const spent = toMs(process.cpuUsage(begun))
    if (spent <= LIMIT_MS || task.meta.costly !== undefined) return
    // On a slow machine, or a busy one whose processes share its caches, everything takes longer.
    // A run that tries tests again is CI's, on a machine that nobody knows: it refuses what is far above alone.
    const slowness = Math.max(1, measureLoop() / LOOP_MS) * (task.retry ? 2 : 1)
    if (spent <= LIMIT_MS * slowness) return
    throw new Error(
      `took ${Math.round(spent / slowness)} ms of processor time, and a quick test has ${LIMIT_MS} ms: ` +
        `make it cheaper, or say why it can't be: test(name, { meta: { costly: 'why' } }, …)`,
    )
  }
})

function measureLoop(): number {
  const begun = process.cpuUsage()
  let sum = 0
  for (let n = 0; n < 2e7; n++) sum = (sum * 31 + n) | 0
  return sum === 0 ? 0 : toMs(process.cpuUsage(begun))
}

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000
}
