import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FileError, unreadable } from './file-error.ts'
import type { Format } from './formats.ts'
import type { Item } from './question.ts'

export interface ThreadInput {
  bytes: Uint8Array
  /** undefined: found by the content. */
  format: Format | undefined
}

/** Some items of a file, in its order. */
export interface Batch {
  format: Format
  items: Item[]
}

interface Failure {
  /** undefined: a fault of ours. */
  code: FileError['code'] | undefined
  message: string
  stack: string
}

/** With `last`, the file was read to its end. */
export type FromThread = (Batch & { last?: true }) | { failure: Failure }

/** Without the file itself, which is outside of the thread's heap. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
const DEADLINE_MS = 60_000

/**
 * The items of a file, read in a separate thread with limited memory and time, so that nothing else waits for it,
 * whatever the file contains, and only as fast as they are taken. `bytes` are transferred to the thread. Throws
 * `FileError` if the file can't be read to its end, and the reason of `signal` when that aborts.
 */
export async function* readInThread(input: ThreadInput, signal: AbortSignal): AsyncGenerator<Batch> {
  const worker = new Worker(new URL('./reading-thread.ts', import.meta.url), {
    workerData: input,
    transferList: [input.bytes.buffer as ArrayBuffer],
    resourceLimits: MEMORY,
    execArgv: [],
    env: {},
  })
  const ended = new AbortController()
  worker.once('exit', () => ended.abort())
  const late = AbortSignal.timeout(DEADLINE_MS)
  try {
    for await (const [message] of on(worker, 'message', {
      signal: AbortSignal.any([late, ended.signal, signal]),
    })) {
      const told = message as FromThread
      if ('failure' in told) throw toError(told.failure)
      const { last, ...batch } = told
      yield batch
      if (last) return
      worker.postMessage('more')
    }
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw unreadable('The file takes too long to read', error)
    if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw unreadable('The file takes too much memory to read', error)
    throw error
  } finally {
    await worker.terminate()
  }
  throw new Error('the thread that read a file ended without a word')
}

function toError({ code, message, stack }: Failure): Error {
  return code === undefined ? new Error(message, { cause: new Error(stack) }) : new FileError(code, message)
}
