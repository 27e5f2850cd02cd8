// What an app ships, bundled by rolldown, minified and gzipped; fails above the limits: npm run size -w client
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const CORE = 'index.ts'
/** Limits in KiB: of what a part adds to the core. */
const PARTS = [
  { name: 'a browser', file: 'platforms/web.ts', limit: 1.2 },
  { name: 'chat', file: 'chat/chat.ts', limit: 7.8 },
  { name: 'an exam', file: 'exam/open-exam.ts', limit: 6.7 },
  { name: 'topics', file: 'topics/topics.ts', limit: 0.7 },
  { name: 'the tutor', file: 'tutor/tutor.ts', limit: 0.4 },
  { name: 'uploads with progress', file: 'files/with-progress.ts', limit: 0.15 },
]
const CORE_LIMIT = 8.3
/** It shares the outbox with chat. */
const PRACTICE = { file: 'practice/practice.ts', beside: 'chat/chat.ts', limit: 1.5 }
/** Without practice. Less than the sum, because parts share code. */
const ALL_LIMIT = 24.3

const sources = fileURLToPath(new URL('../src/', import.meta.url))

async function sizeOf(files: string[]): Promise<number> {
  const entry = 'app.ts'
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
  return gzipSync(output[0].code, { level: 9 }).length
}

function report(name: string, bytes: number, limit: number): void {
  const isOver = bytes > limit * 1_024
  const size = (bytes / 1_024).toFixed(2).padStart(6)
  console.log(`${size} KiB  ${name} (limit ${limit})${isOver ? '  TOO LARGE' : ''}`)
  if (isOver) process.exitCode = 1
}

const core = await sizeOf([CORE])
report('core', core, CORE_LIMIT)
for (const { name, file, limit } of PARTS) report(`+ ${name}`, (await sizeOf([CORE, file])) - core, limit)
const beside = await sizeOf([CORE, PRACTICE.beside])
report(
  '+ practice, beside chat',
  (await sizeOf([CORE, PRACTICE.beside, PRACTICE.file])) - beside,
  PRACTICE.limit,
)
report('everything but practice', await sizeOf([CORE, ...PARTS.map(({ file }) => file)]), ALL_LIMIT)
