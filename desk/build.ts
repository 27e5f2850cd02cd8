/**
 * Builds the desk into `dist`, unless what is there was built from the same sources. The service runs this when it
 * starts, so that a checkout needs no step of its own, and so does the image while it is made.
 */
import { createHash } from 'node:crypto'
import { chmod, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { readStamp, replace, STAMP } from './replace.ts'

const HERE = import.meta.dirname
const DIST = path.join(HERE, 'dist')
const SOURCES = [
  'index.html',
  'vite.config.ts',
  'package.json',
  'src/**/*',
  'public/*',
  '../client/src/**/*.ts',
]

const wanted = await digest()
if ((await readStamp(DIST)) !== wanted) await build()

async function build(): Promise<void> {
  const made = await mkdtemp(path.join(HERE, '.building-'))
  try {
    const vite = await import('vite')
    await vite.build({ root: HERE, logLevel: 'error', build: { outDir: made, emptyOutDir: false } })
    await compressAll(made)
    await writeFile(path.join(made, STAMP), wanted)
    // Temporary folders are closed to others; whoever runs the service may be another than who built it.
    await chmod(made, 0o755)
    await replace(DIST, made)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

async function compressAll(folder: string): Promise<void> {
  const [asGzip, asBrotli] = [promisify(gzip), promisify(brotliCompress)]
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  for await (const name of glob('assets/*.{js,css,svg}', { cwd: folder })) {
    const file = path.join(folder, name)
    const content = await readFile(file)
    await writeFile(`${file}.gz`, await asGzip(content, { level: 9 }))
    await writeFile(`${file}.br`, await asBrotli(content, { params }))
  }
}

async function digest(): Promise<string> {
  const hash = createHash('sha256')
  const names = await Array.fromAsync(glob(SOURCES, { cwd: HERE, withFileTypes: true }))
  const files = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
  for (const file of files.sort()) hash.update(path.relative(HERE, file)).update(await readFile(file))
  return hash.digest('hex')
}
