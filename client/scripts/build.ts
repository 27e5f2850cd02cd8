// Writes what is published to dist/: npm run build -w client
import { spawnSync } from 'node:child_process'
import { copyFile, glob, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = `${root}dist/`

await rm(dist, { recursive: true, force: true })
const { status } = spawnSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(1)

// The compiler leaves the names of the sources in declarations.
for await (const file of glob('**/*.d.ts', { cwd: dist })) {
  const text = await readFile(dist + file, 'utf8')
  await writeFile(dist + file, text.replace(/(from |import\()('|")(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'))
}

const {
  scripts: _,
  private: __,
  exports,
  ...manifest
} = JSON.parse(await readFile(`${root}package.json`, 'utf8'))
const published = Object.entries(exports as Record<string, string>).map(([name, source]) => {
  const built = source.replace('./src/', './').replace(/\.ts$/, '')
  return [name, { types: `${built}.d.ts`, default: `${built}.js` }]
})
await writeFile(
  `${dist}package.json`,
  `${JSON.stringify({ ...manifest, exports: { ...Object.fromEntries(published), './package.json': './package.json' } }, null, 2)}\n`,
)
await copyFile(`${root}README.md`, `${dist}README.md`)
await copyFile(`${root}../LICENSE`, `${dist}LICENSE`)
