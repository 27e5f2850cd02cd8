// Plain JavaScript, for whichever Node.js the machine has.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Ends this process with one sentence if npm, on this version of Node.js, would leave out packages that the service needs. */
export function refuseOldNode() {
  const { node } = process.versions
  const [major, minor] = node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return
  refuse(`This needs Node.js 20.19, 22.12 or newer to be installed, and the Node.js here is ${node}.`)
}

export function refuse(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/**
 * Path of the Node.js that npm has brought along (docs/decisions/runtime-from-npm.md), or undefined if there is none
 * for this machine, or none that runs on it: the one for Linux doesn't on Alpine.
 */
export function findRuntime() {
  const { platform, arch } = process
  return [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]
    .map((name) => `../node_modules/${name}/bin/node${platform === 'win32' ? '.exe' : ''}`)
    .map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .find((file) => existsSync(file) && spawnSync(file, ['--version']).status === 0)
}
