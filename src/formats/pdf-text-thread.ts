import { parentPort, workerData } from 'node:worker_threads'
import { getDocumentProxy } from 'unpdf'
import type { FromPdfThread, PdfThreadInput } from './pdf-text.ts'

/** Nobody reads more of one page, nor of one file, in UTF-16 code units. */
const LONGEST_PAGE = 100_000
const LONGEST_FILE = 4_000_000
const MOST_PAGES = 1_000

/** Reads one file. */
async function read({ bytes }: PdfThreadInput): Promise<string[]> {
  const document = await getDocumentProxy(bytes, {
    // Nothing is drawn, run or fetched.
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: 0,
  })
  const pages: string[] = []
  let left = LONGEST_FILE
  for (let number = 1; number <= Math.min(document.numPages, MOST_PAGES); number++) {
    const text = await readPage(document, number).catch(() => '')
    pages.push(text.slice(0, Math.min(LONGEST_PAGE, left)))
    left -= pages.at(-1)?.length ?? 0
  }
  return pages
}

/** '' from where on it can't be read. */
async function readPage(
  document: Awaited<ReturnType<typeof getDocumentProxy>>,
  number: number,
): Promise<string> {
  const page = await document.getPage(number)
  const reader = page.streamTextContent().getReader()
  let text = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done || text.length > LONGEST_PAGE) break
      for (const item of (value as { items: { str?: string; hasEOL?: boolean }[] }).items)
        text += (item.str ?? '') + (item.hasEOL ? '\n' : '')
    }
  } finally {
    await reader.cancel().catch(() => {})
    page.cleanup()
  }
  return text
}

const port = parentPort
if (!port) throw new Error('this file is the entry of a worker thread')
const answer: FromPdfThread = await read(workerData as PdfThreadInput).then(
  (pages) => ({ pages }),
  (error: unknown) => ({ failure: String(error) }),
)
port.postMessage(answer)
port.close()
