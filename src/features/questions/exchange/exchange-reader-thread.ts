import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../../../errors.ts'
import type { ExchangeItem } from './exchange-item.ts'
import type { FromThread, ThreadInput } from './exchange-reader.ts'
import { detectFormat, readItems } from './format-detection.ts'

/** Items that are sent together; fewer if their images have more bytes than this. */
const BATCH = 200
const BATCH_BYTES = 4 * 1024 * 1024

/** Reads one file, as fast as its items are taken. */
async function read({ bytes, format: given }: ThreadInput, send: (message: FromThread) => Promise<void>) {
  const format = given ?? detectFormat(bytes)
  let items: ExchangeItem[] = []
  let size = 0
  for await (const item of readItems(format, bytes)) {
    items.push(item)
    size += 'image' in item ? (item.image?.bytes.length ?? 0) : 0
    if (items.length < BATCH && size < BATCH_BYTES) continue
    await send({ format, items })
    items = []
    size = 0
  }
  await send({ format, items, last: true })
}

const port = parentPort
if (!port) throw new Error('this file is the entry of a worker thread')
try {
  await read(workerData as ThreadInput, async (message) => {
    port.postMessage(message)
    await once(port, 'message')
  })
} catch (error) {
  const { code, message } =
    error instanceof AppError ? error : new AppError('internal_error', { cause: error })
  port.postMessage({
    failure: { code, message, stack: String((error as Error)?.stack) },
  } satisfies FromThread)
}
port.close()
