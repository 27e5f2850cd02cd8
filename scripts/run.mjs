// Runs a program of the service: `node scripts/run.mjs [options of Node.js] file [arguments]`. Plain JavaScript, so that any
// Node.js can read it: it hands over to the one that npm has brought along, or says what is missing.
import { spawn } from 'node:child_process'
import module from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findRuntime, isRecent, OLDEST, refuse, refuseOldNode } from './runtime.mjs'

// Compiled code is kept, that of each file by its content: compiling it again would be most of a start. What this process
// starts finds it as well.
const { NODE_COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)) } =
  process.env
process.env.NODE_COMPILE_CACHE = NODE_COMPILE_CACHE

const QUICK_IMPORTS = new URL('../src/quick-imports.ts', import.meta.url).href

refuseOldNode()
const [, , ...args] = process.argv
const { node } = process.versions
if (isRecent(node) && !args[0].startsWith('-')) {
  process.argv.splice(1, 2, path.resolve(args[0]))
  module.enableCompileCache(NODE_COMPILE_CACHE)
  await import(QUICK_IMPORTS)
  await import(pathToFileURL(process.argv[1]).href)
} else {
  const runtime = isRecent(node) ? process.execPath : findRuntime()
  if (runtime === undefined)
    refuse(
      `This needs Node.js ${OLDEST} or newer, and the Node.js here is ${node}: npm ci brings a newer one along, except on ` +
        'Alpine and rare machines, or with --ignore-scripts or --omit=optional.',
    )
  const child = spawn(runtime, ['--import', QUICK_IMPORTS, ...args], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
