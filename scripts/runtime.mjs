// Plain JavaScript, for whichever Node.js the machine has.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The oldest Node.js that runs the service: it takes types out of TypeScript by itself. */
export const OLDEST = 24

export function isRecent(version) {
  return Number.parseInt(version, 10) >= OLDEST
}

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
 * for this machine, none that runs on it (the one for Linux doesn't on Alpine), or only one of an earlier install that is
 * too old.
 */
export function findRuntime() {
  const { platform, arch } = process
  const [system, program] = platform === 'win32' ? ['win', 'node.exe'] : [platform, 'node']
  return [`node-${system}-${arch}`, `node-bin-${system}-${arch}`]
    .map((name) => `../node_modules/${name}/bin/${program}`)
    .map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .find((file) => existsSync(file) && isRecent(versionOf(file)))
}

function versionOf(file) {
  return spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout?.slice(1)
}
