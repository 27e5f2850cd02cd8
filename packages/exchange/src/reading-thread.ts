import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { FileError } from './file-error.ts'
import { detectFormat, readItems } from './formats.ts'
import type { Item } from './question.ts'
import type { FromThread, ThreadInput } from './reading-in-thread.ts'

/** Items that are sent together; fewer if their images have more bytes than this. */
const BATCH = 200
const BATCH_BYTES = 4 * 1024 * 1024

/** Reads one file, as fast as its items are taken. */
async function read({ bytes, format: given }: ThreadInput, send: (message: FromThread) => Promise<void>) {
  const format = given ?? detectFormat(bytes)
  let items: Item[] = []
  let size = 0
  for await (const item of readItems(bytes, format)) {
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
  const code = error instanceof FileError ? error.code : undefined
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  port.postMessage({ failure: { code, message, stack: String(stack) } } satisfies FromThread)
}
port.close()
