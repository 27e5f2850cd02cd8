import { parentPort, workerData } from 'node:worker_threads'
import { cutPassages, joinHyphens } from './passages.ts'
import { toPlain } from './plain-text.ts'
import type { FromReading, ReadingTask, ReadPassages, ReadText } from './reading.ts'
import { toStorable } from './storable.ts'
import { keysOf } from './words.ts'

/** Generation takes shorter files anyway. */
const MOST_PAGES = 1_000

/** Loaded for a PDF alone, since that takes longer than reading a text. */
async function readPages(bytes: Uint8Array, mostPages: number): Promise<string[]> {
  const pdf = await import('./pdf-pages.ts')
  pdf.boundMemory()
  return pdf.readPages(bytes, mostPages)
}

async function readText(bytes: Uint8Array): Promise<ReadText> {
  const texts = await readPages(bytes, MOST_PAGES)
  return { texts, plain: texts.map(toPlain) }
}

async function readPassages({
  bytes,
  type,
  mostPages,
}: Extract<ReadingTask, { kind: 'passages' }>): Promise<ReadPassages> {
  const pages = (await pagesOf(bytes, type, mostPages)).map(toStorable)
  const passages = pages.flatMap((page, index) =>
    cutPassages(page).map((text) => ({ page: index + 1, text, keys: [...keysOf(text)] })),
  )
  const readable = new Set(passages.filter(({ keys }) => keys.length > 0).map(({ page }) => page))
  const unreadable = pages.length - readable.size
  return { pages: pages.length, unreadable, passages, frequent: frequentIn(passages) }
}

/** Fewer passages than these, or than one in so many, are few. */
const FEW = 8
const ONE_IN = 50

function frequentIn(passages: readonly { keys: string[] }[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { keys } of passages) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  const few = Math.max(FEW, passages.length / ONE_IN)
  return Object.fromEntries([...counts].filter(([, count]) => count >= few))
}

async function pagesOf(bytes: Uint8Array, type: string, mostPages: number): Promise<string[]> {
  if (type === 'pdf') return (await readPages(bytes, mostPages)).map(joinHyphens)
  const text = new TextDecoder().decode(bytes)
  return type === 'markdown' ? (await import('./markdown-parts.ts')).partsOfMarkdown(text) : [text]
}

const port = parentPort
if (!port) throw new Error('this file is the entry of a worker thread')
const task = workerData as ReadingTask
const answer: FromReading = await (task.kind === 'text' ? readText(task.bytes) : readPassages(task)).then(
  (read) => ({ read }),
  (error: unknown) => ({ failure: error instanceof Error ? error.name : 'Error', message: String(error) }),
)
port.postMessage(answer)
port.close()
