import { getDocumentProxy } from 'unpdf'

/** Nobody reads more of one page, nor of one file, in UTF-16 code units. */
const LONGEST_PAGE = 100_000
const LONGEST_FILE = 4_000_000

/** A larger piece of memory at once, and more than that in all, comes of a file that unpacks to far more than it shows. */
const LARGEST_PIECE = 64 * 1024 * 1024
const MOST_MEMORY = 512 * 1024 * 1024
/** Smaller pieces are not counted. */
const COUNTED_PIECE = 256 * 1024

/** The file takes more memory than a readable one needs. */
export class TooMuchMemory extends Error {
  override readonly name = 'TooMuchMemory'
}
/** The file has more pages than are taken. */
export class TooManyPages extends Error {
  override readonly name = 'TooManyPages'
}

let exceeded: TooMuchMemory | undefined

/**
 * What a PDF unpacks to is outside of the thread's heap, where nothing bounds it; so each large piece is counted when
 * it is taken. Only for a thread that ends with its file.
 */
export function boundMemory(): void {
  // Without it the library unpacks in the turn in which it is asked, into pieces that are counted.
  Reflect.deleteProperty(globalThis, 'DecompressionStream')
  globalThis.Uint8Array = new Proxy(Uint8Array, {
    construct(target, [size, ...rest], newTarget) {
      if (typeof size === 'number' && size >= COUNTED_PIECE) requireMemory(size)
      return Reflect.construct(target, [size, ...rest], newTarget)
    },
  })
}

function requireMemory(size: number): void {
  if (size <= LARGEST_PIECE && process.memoryUsage().arrayBuffers + size <= MOST_MEMORY) return
  exceeded = new TooMuchMemory('the file unpacks to more than is read')
  throw exceeded
}

/** The text of each page, as it is drawn, line by line; '' from where on a page can't be read. */
export async function readPages(bytes: Uint8Array, mostPages: number): Promise<string[]> {
  const document = await getDocumentProxy(bytes, {
    // Nothing is drawn, run or fetched.
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: 0,
  })
  if (exceeded) throw exceeded
  if (document.numPages > mostPages) throw new TooManyPages(`the file has ${document.numPages} pages`)
  const pages: string[] = []
  let left = LONGEST_FILE
  for (let number = 1; number <= document.numPages; number++) {
    const text = await readPage(document, number).catch(() => '')
    // The library takes it for a page that is broken, and would go on.
    if (exceeded) throw exceeded
    pages.push(text.slice(0, Math.min(LONGEST_PAGE, left)))
    left -= pages.at(-1)?.length ?? 0
  }
  return pages
}

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
