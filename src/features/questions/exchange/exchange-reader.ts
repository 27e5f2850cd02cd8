import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ImportFormat } from '../../../../schemas/exchange.schemas.ts'
import { AppError, type ErrorCode } from '../../../errors.ts'
import type { ExchangeItem } from './exchange-item.ts'
import { unreadable } from './exchange-text.ts'

export interface ThreadInput {
  bytes: Uint8Array
  /** undefined: found by the content. */
  format: ImportFormat | undefined
}

export interface ImportBatch {
  format: ImportFormat
  items: ExchangeItem[]
  /** The file was read to its end. */
  last?: true
}

export type FromThread = ImportBatch | { failure: { code: ErrorCode; message: string; stack: string } }

/** Without the file itself, which is outside of the thread's heap. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
const DEADLINE_MS = 60_000

/**
 * The items of a file in batches, read in a separate thread with limited memory and time, so that no other request
 * waits for it, whatever the file contains. `bytes` are transferred to the thread. Throws 400 or 413 if the file
 * can't be read to its end, `aborted` when `end` aborts.
 */
export async function* readFileItems(input: ThreadInput, end: AbortSignal): AsyncGenerator<ImportBatch> {
  const worker = new Worker(new URL('./exchange-reader-thread.ts', import.meta.url), {
    workerData: input,
    transferList: [input.bytes.buffer as ArrayBuffer],
    resourceLimits: MEMORY,
    execArgv: [],
    env: {},
  })
  const ended = new AbortController()
  worker.once('exit', () => ended.abort())
  const late = AbortSignal.timeout(DEADLINE_MS)
  const signal = AbortSignal.any([late, ended.signal, end])
  try {
    for await (const [message] of on(worker, 'message', { signal })) {
      const told = message as FromThread
      if ('failure' in told) throw toError(told.failure)
      yield told
      if (told.last) return
      worker.postMessage('more')
    }
  } catch (error) {
    if (end.aborted) throw new AppError('aborted', { cause: error })
    if (late.aborted) throw unreadable('The file takes too long to read', error)
    if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw unreadable('The file takes too much memory to read', error)
    throw error
  } finally {
    await worker.terminate()
  }
  throw new Error('the thread that read a file ended without a word')
}

function toError({ code, message, stack }: { code: ErrorCode; message: string; stack: string }): AppError {
  return new AppError(code, code === 'internal_error' ? { cause: new Error(stack) } : { message })
}
