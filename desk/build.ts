/**
 * Builds the desk into `dist`, unless what is there was built from the same sources. The service runs this when it
 * starts, so that a checkout needs no step of its own, and so does the image while it is made.
 */
import { createHash } from 'node:crypto'
import { chmod, glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const HERE = import.meta.dirname
const DIST = path.join(HERE, 'dist')
const STAMP = 'built-from'
const SOURCES = [
  'index.html',
  'vite.config.ts',
  'package.json',
  'src/**/*',
  'public/*',
  '../client/src/**/*.ts',
]

const wanted = await digest()
const found = await readFile(path.join(DIST, STAMP), 'utf8').catch(() => undefined)
if (found !== wanted) await build()

async function build(): Promise<void> {
  const made = await mkdtemp(path.join(HERE, '.building-'))
  try {
    const vite = await import('vite')
    await vite.build({ root: HERE, logLevel: 'error', build: { outDir: made, emptyOutDir: false } })
    await compressAll(made)
    await writeFile(path.join(made, STAMP), wanted)
    // Temporary folders are closed to others; whoever runs the service may be another than who built it.
    await chmod(made, 0o755)
    await replace(made)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** Two that build at the same time make the same: whoever comes second finds it done. */
async function replace(made: string): Promise<void> {
  const old = `${made}-old`
  await rename(DIST, old).catch(() => {})
  await rename(made, DIST).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  await rm(old, { recursive: true, force: true })
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
