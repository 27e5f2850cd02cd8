import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export type ReadingTask =
  | { kind: 'text'; bytes: Uint8Array }
  | { kind: 'passages'; bytes: Uint8Array; type: 'pdf' | 'markdown' | 'text'; mostPages: number }

/** The text of each page of a PDF, line by line; '' for one without text, such as a scan. */
export interface ReadText {
  texts: string[]
  /** The same by `toPlain`. */
  plain: string[]
}

/** A file as it can be searched. */
export interface ReadPassages {
  pages: number
  /** How many of them have no text. */
  unreadable: number
  /** `keys`: its words, as `keysOf` makes them. */
  passages: { page: number; text: string; keys: string[] }[]
  /** Words that many passages have, with how many do. */
  frequent: Record<string, number>
}

export type FromReading = { read: ReadText | ReadPassages } | { failure: string; message: string }

/** Without the file itself and what it unpacks to, which are outside of the thread's heap (pdf-pages.ts). */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
const DEADLINE_MS = 30_000
/** More pages take longer. */
const PASSAGES_DEADLINE_MS = 120_000

/** Files are read one at a time on a node, since each takes a processor and much memory. */
let last: Promise<unknown> = Promise.resolve()

/** A file that can't be read, whoever tries; `name` says why. */
export class Unreadable extends Error {
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

/**
 * Read in a separate thread with limited memory and time, whatever the file contains; throws if it can't be read within
 * them. `signal` ends the reading.
 */
export async function readPdfText(pdf: Buffer, signal: AbortSignal): Promise<ReadText> {
  return (await read({ kind: 'text', bytes: new Uint8Array(pdf) }, DEADLINE_MS, signal)) as ReadText
}

/** A file's passages and their words, read in the same way. Throws `Unreadable`, or the signal's reason. */
export async function readPassages(
  file: { bytes: Buffer; type: 'pdf' | 'markdown' | 'text'; mostPages: number },
  signal: AbortSignal,
): Promise<ReadPassages> {
  const task: ReadingTask = { ...file, kind: 'passages', bytes: new Uint8Array(file.bytes) }
  return (await read(task, PASSAGES_DEADLINE_MS, signal)) as ReadPassages
}

function read(task: ReadingTask, deadlineMs: number, signal: AbortSignal): Promise<unknown> {
  const reading = last.then(() => {
    signal.throwIfAborted()
    return readInThread(task, deadlineMs, signal)
  })
  last = reading.catch(() => {})
  return reading
}

async function readInThread(task: ReadingTask, deadlineMs: number, end: AbortSignal) {
  const worker = new Worker(new URL('./reading-thread.ts', import.meta.url), {
    workerData: task,
    // The bytes are a copy, which goes to the thread: the caller keeps its own.
    transferList: [task.bytes.buffer as ArrayBuffer],
    resourceLimits: MEMORY,
    execArgv: [],
    env: {},
    // The library complains there about files that aren't quite right.
    stdout: true,
    stderr: true,
  })
  const exited = new AbortController()
  worker.once('exit', () => exited.abort(new Error('the thread that read a file ended without a word')))
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(deadlineMs), exited.signal, end])
    const [message] = await once(worker, 'message', { signal })
    const told = message as FromReading
    if ('failure' in told) throw new Unreadable(told.failure, told.message)
    return told.read
  } catch (error) {
    if (end.aborted || error instanceof Unreadable) throw error
    throw new Unreadable('Unreadable', String(error))
  } finally {
    await worker.terminate()
  }
}
