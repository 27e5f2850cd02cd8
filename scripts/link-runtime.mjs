// Runs after each install: makes `node` in npm's scripts, and `npx node`, the Node.js that npm has brought along. npm 11.6.1
// and older leave that link out where several optional packages have a program of this name.
import { rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findRuntime, refuseOldNode } from './runtime.mjs'

refuseOldNode()
// Windows has no such links: there scripts/run.mjs finds the runtime, and newer versions of npm make what `npx node` needs.
if (process.platform !== 'win32') {
  const link = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  const runtime = findRuntime()
  rmSync(link, { force: true })
  if (runtime !== undefined) symlinkSync(path.relative(path.dirname(link), runtime), link)
}
