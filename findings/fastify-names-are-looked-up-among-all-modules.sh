#!/usr/bin/env bash
# Fastify 5.12.8: to name a plugin in its messages it compares the plugin with the exports of every CommonJS module that
# the process has loaded, twice for each plugin, unless the plugin says its name by a symbol that only fastify-plugin sets.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fastify@5.12.8
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import Fastify from 'fastify'

const MODULES = 1_000
const PLUGINS = 100
let looks = 0
const { cache } = createRequire(import.meta.url)
for (let count = 0; count < MODULES; count++)
  cache[`/module-${count}.js`] = {
    get exports() {
      looks++
      return {}
    },
  }

async function countLooks(name) {
  looks = 0
  const app = Fastify()
  for (let count = 0; count < PLUGINS; count++) {
    const plugin = async function routes() {}
    if (name) plugin[Symbol.for('fastify.display-name')] = name
    app.register(plugin)
  }
  await app.ready()
  return looks
}

const seen = { 'named functions': await countLooks(), 'with the symbol': await countLooks('routes') }
console.log(`fastify ${Fastify().version}, ${PLUGINS} plugins, ${MODULES} modules; modules that were looked at:`)
console.table(seen)
assert.deepEqual(Object.values(seen), [2 * PLUGINS * MODULES, 0])
JS
node seen.mjs
