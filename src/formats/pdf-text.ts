import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface PdfThreadInput {
  bytes: Uint8Array
}

export type FromPdfThread = { pages: string[] } | { failure: string }

/** Without the file itself, which is outside of the thread's heap. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
const DEADLINE_MS = 30_000

/** Files are read one at a time on a node, since each takes a processor and much memory. */
let last: Promise<unknown> = Promise.resolve()

/**
 * The text of each page of a PDF, as it is drawn, line by line; '' for a page without text, such as a scan. Read in a
 * separate thread with limited memory and time, whatever the file contains; throws if it can't be read within them.
 * `signal` ends the reading.
 */
export function readPdfText(pdf: Buffer, signal: AbortSignal): Promise<string[]> {
  const reading = last.then(() => {
    signal.throwIfAborted()
    return readInThread(pdf, signal)
  })
  last = reading.catch(() => {})
  return reading
}

async function readInThread(pdf: Buffer, end: AbortSignal): Promise<string[]> {
  // A copy, which goes to the thread: the caller keeps its own.
  const bytes = new Uint8Array(pdf)
  const worker = new Worker(new URL('./pdf-text-thread.ts', import.meta.url), {
    workerData: { bytes } satisfies PdfThreadInput,
    transferList: [bytes.buffer],
    resourceLimits: MEMORY,
    execArgv: [],
    env: {},
    // The library complains there about files that aren't quite right.
    stdout: true,
    stderr: true,
  })
  const exited = new AbortController()
  worker.once('exit', () => exited.abort(new Error('the thread that read a PDF ended without a word')))
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), exited.signal, end])
    const [message] = await once(worker, 'message', { signal })
    const told = message as FromPdfThread
    if ('failure' in told) throw new Error(told.failure)
    return told.pages
  } finally {
    await worker.terminate()
  }
}
