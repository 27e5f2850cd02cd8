/**
 * Builds the desk into `dist`, in each language, unless what is there was built from the same sources. The service runs
 * this when it starts, so that a checkout needs no step of its own, and so does the image while it is made.
 */
import { createHash } from 'node:crypto'
import { chmod, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'
import { LANGUAGES } from '../schemas/languages.ts'
import { PSEUDO, type ShownLanguage, sayIn, translatorTo } from '../src/formats/translations.ts'
import { readStamp, replace, STAMP } from './replace.ts'
import { findMarks, sayPage, sayScript } from './texts.ts'

const HERE = import.meta.dirname
const DIST = path.join(HERE, 'dist')
const SOURCES = [
  'index.html',
  'vite.config.ts',
  'package.json',
  'texts.ts',
  'src/**/*',
  'worker/*.ts',
  'public/*',
  '../client/src/**/*.ts',
  '../languages/*.json',
  '../schemas/languages.ts',
  '../src/errors.ts',
  '../src/formats/translations.ts',
]
const SHOWN: ShownLanguage[] = [...LANGUAGES, PSEUDO]

// What is built is the same whoever asks for it: tests, a service in development, or the image.
process.env.NODE_ENV = 'production'
const wanted = await hashOf(SOURCES)
if ((await readStamp(DIST)) !== wanted) await build()

async function build(): Promise<void> {
  const made = await mkdtemp(path.join(HERE, '.building-'))
  try {
    const vite = await import('vite')
    const define = { __VERSION__: JSON.stringify(wanted.slice(0, 16)) }
    const into = { outDir: made, emptyOutDir: false }
    const plugins = [await nameByTexts()]
    const built = await vite.build({ root: HERE, logLevel: 'error', define, plugins, build: into })
    const { output } = built as Rolldown.RolldownOutput
    const integrities = await sayAll(
      made,
      output.filter((file) => file.type === 'chunk'),
    )
    await vite.build({
      root: HERE,
      configFile: false,
      publicDir: false,
      logLevel: 'error',
      define: {
        ...define,
        __FILES__: JSON.stringify(await listFiles(made)),
        __PAGES__: JSON.stringify(integrities),
      },
      // A script of the older kind: not every browser takes modules as workers.
      build: {
        ...into,
        rolldownOptions: {
          input: path.join(HERE, 'worker/worker.ts'),
          output: { format: 'iife', entryFileNames: 'worker.js' },
        },
      },
    })
    await compressAll(made)
    await writeFile(path.join(made, STAMP), wanted)
    // Temporary folders are closed to others; whoever runs the service may be another than who built it.
    await chmod(made, 0o755)
    await replace(DIST, made)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** Files that say something have other names when a catalogue has changed: browsers keep them for good. */
async function nameByTexts(): Promise<Plugin> {
  const catalogues = await hashOf(['../languages/*.json'])
  return {
    name: 'name-by-texts',
    augmentChunkHash: ({ moduleIds }) =>
      moduleIds.some((id) => id.startsWith(path.join(HERE, 'src'))) ? catalogues : undefined,
  }
}

/**
 * Puts the texts of each language into the page and into copies of the scripts that say something, or load one that
 * does. Answers what proves the page of each language.
 */
async function sayAll(folder: string, chunks: Rolldown.OutputChunk[]): Promise<Record<string, string>> {
  const marks = new Map(chunks.map(({ fileName, code }) => [fileName, findMarks(code)]))
  const spoken = new Set(chunks.flatMap(({ fileName }) => (marks.get(fileName)?.length ? fileName : [])))
  for (let before = -1; before !== spoken.size; ) {
    before = spoken.size
    for (const { fileName, imports, dynamicImports } of chunks)
      if ([...imports, ...dynamicImports].some((each) => spoken.has(each))) spoken.add(fileName)
  }
  const page = await readFile(path.join(folder, 'index.html'), 'utf8')
  const integrities: Record<string, string> = {}
  for (const language of SHOWN) {
    const into = path.join(folder, 'assets', language)
    await mkdir(into)
    const lead = (text: string) =>
      text.replaceAll(/\bassets\/[\w.-]+\.js\b/g, (name) =>
        spoken.has(name) ? name.replace('/', `/${language}/`) : name,
      )
    const translate = translatorTo(language)
    for (const { fileName, code } of chunks) {
      if (!spoken.has(fileName)) continue
      const said = sayScript(code, marks.get(fileName) ?? [], translate)
      const led = lead(said).replaceAll(/(["'`])\.(\/[\w.-]+\.js)\1/g, (specifier, quote, name) =>
        spoken.has(`assets${name}`) ? specifier : `${quote}..${name}${quote}`,
      )
      await writeFile(path.join(into, path.basename(fileName)), led)
    }
    const say = sayIn(language)
    const said = lead(sayPage(page, say)).replace(
      '<html lang="en"',
      `<html lang="${language}" dir="${say.direction}"`,
    )
    await writeFile(path.join(folder, `${language}.html`), said)
    integrities[language] = `sha384-${createHash('sha384').update(said).digest('base64')}`
  }
  for (const name of ['index.html', ...spoken]) await rm(path.join(folder, name))
  return integrities
}

/** What opens the desk without the service: all but the files that only browsers without service workers use. */
async function listFiles(folder: string): Promise<object[]> {
  const patterns = ['assets/*.{js,css,woff2,svg}', 'assets/en/*.js', '*.svg']
  const names = await Array.fromAsync(glob(patterns, { cwd: folder }))
  // In order: the same sources make the same worker, so that it isn't replaced without need.
  return names.sort().map((name) => {
    const isNamedByContent = name.startsWith('assets/')
    return {
      url: `/desk/${name.replace('/en/', '/*/')}`,
      revision: isNamedByContent ? null : wanted,
    }
  })
}

async function compressAll(folder: string): Promise<void> {
  const [asGzip, asBrotli] = [promisify(gzip), promisify(brotliCompress)]
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  for await (const name of glob(['assets/**/*.{js,css,svg}', 'worker.js'], { cwd: folder })) {
    const file = path.join(folder, name)
    const content = await readFile(file)
    await writeFile(`${file}.gz`, await asGzip(content, { level: 9 }))
    await writeFile(`${file}.br`, await asBrotli(content, { params }))
  }
}

async function hashOf(patterns: string[]): Promise<string> {
  const hash = createHash('sha256')
  const names = await Array.fromAsync(glob(patterns, { cwd: HERE, withFileTypes: true }))
  const files = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
  for (const file of files.sort()) hash.update(path.relative(HERE, file)).update(await readFile(file))
  return hash.digest('hex')
}
