import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** How long the process runs, and how long it stands still, in turns. */
const TURN_MS = 10

/** Lets a process run half of the time, as if its processor were half as fast, until the answer is called. */
export function halveSpeed(pid: number): () => Promise<void> {
  // A thread of its own, so that the turns are even while the benchmark itself is busy.
  const worker = new Worker(new URL(import.meta.url), { workerData: pid })
  return async () => {
    await worker.terminate()
    process.kill(pid, 'SIGCONT')
  }
}

if (!isMainThread) {
  const never = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    process.kill(workerData, 'SIGSTOP')
    Atomics.wait(never, 0, 0, TURN_MS)
    process.kill(workerData, 'SIGCONT')
    Atomics.wait(never, 0, 0, TURN_MS)
  }
}
