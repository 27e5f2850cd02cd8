// What an app ships, bundled by rolldown, minified and gzipped; fails above the limits: npm run size -w client
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const LIMITS = { core: 8, everything: 15 }

const sources = fileURLToPath(new URL('../src/', import.meta.url))
const PARTS: Record<string, string[]> = {
  core: ['index.ts'],
  'core and a browser': ['index.ts', 'platforms/web.ts'],
  'core and chat': ['index.ts', 'chat/index.ts'],
  'core and an exam': ['index.ts', 'exam/index.ts'],
  everything: [
    'index.ts',
    'platforms/web.ts',
    'chat/index.ts',
    'exam/index.ts',
    'topics/index.ts',
    'tutor/index.ts',
    'files/index.ts',
  ],
}

let isTooLarge = false
for (const [name, files] of Object.entries(PARTS)) {
  const entry = `${name}.ts`
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) =>
          id === entry ? files.map((file) => `export * from '${sources}${file}'`).join('\n') : undefined,
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  const bytes = gzipSync(output[0].code, { level: 9 }).length
  const limit = LIMITS[name as keyof typeof LIMITS]
  const isOver = limit !== undefined && bytes > limit * 1_024
  isTooLarge ||= isOver
  console.log(
    `${(bytes / 1_024).toFixed(2).padStart(6)} KiB  ${name}${limit ? ` (limit ${limit})` : ''}${isOver ? '  TOO LARGE' : ''}`,
  )
}
process.exitCode = isTooLarge ? 1 : 0
