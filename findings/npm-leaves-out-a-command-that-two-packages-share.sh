#!/usr/bin/env bash
# npm 11.6.1: two optional packages have a command of the same name, one for Linux and one for macOS, as packages of binaries
# have. Only the one for this machine is installed, and yet its command is missing in `node_modules/.bin`: the link was lost
# to the package that isn't there. No warning, and `npx` and scripts don't find it. npm 11.6.2 makes the link. Needs
# Node.js 20.17 or newer, as these npms do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 11.6.1 11.6.2; do
  mkdir "npm-$version"
  echo '{}' >"npm-$version/package.json"
  npm install --silent --no-audit --no-fund --prefix "npm-$version" "npm@$version"
done
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const run = (version, folder, ...words) =>
  execFileSync(process.execPath, [join(process.cwd(), `npm-${version}/node_modules/npm/bin/npm-cli.js`), ...words], {
    cwd: folder,
    stdio: 'ignore',
  })
const SYSTEMS = ['linux', 'darwin']
for (const os of SYSTEMS) {
  mkdirSync(os)
  const description = { name: `tool-${os}`, version: '1.0.0', os: [os], bin: { tool: 'tool.js' } }
  writeFileSync(`${os}/package.json`, JSON.stringify(description))
  writeFileSync(`${os}/tool.js`, '#!/usr/bin/env node\n')
  run('11.6.2', os, 'pack')
}
const dependOn = (systems) => Object.fromEntries(systems.map((os) => [`tool-${os}`, `file:../${os}/tool-${os}-1.0.0.tgz`]))
function install(version, systems) {
  rmSync('app', { recursive: true, force: true })
  mkdirSync('app')
  const description = { name: 'app', version: '1.0.0', optionalDependencies: dependOn(systems) }
  writeFileSync('app/package.json', JSON.stringify(description))
  run(version, 'app', 'install')
  const installed = SYSTEMS.filter((os) => existsSync(`app/node_modules/tool-${os}`)).join()
  return { installed, 'its command is there': existsSync('app/node_modules/.bin/tool') }
}
const seen = {
  'npm 11.6.1, Linux alone': install('11.6.1', ['linux']),
  'npm 11.6.1, Linux and macOS': install('11.6.1', SYSTEMS),
  'npm 11.6.2, Linux and macOS': install('11.6.2', SYSTEMS),
}
console.table(seen)
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [['linux', true], ['linux', false], ['linux', true]])
JS
node seen.mjs
