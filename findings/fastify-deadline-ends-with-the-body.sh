#!/usr/bin/env bash
# Fastify 5.12.8: `handlerTimeout` bounds a handler of a GET, and of a POST without a body. Once a body was read it bounds
# nothing: the handler may take as long as it likes. `request.signal` is the other half of it: with a body it has aborted
# while the handler runs and the client waits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fastify@5.12.8
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'

const LIMIT_MS = 300
const app = Fastify({ handlerTimeout: LIMIT_MS })
app.route({
  method: ['GET', 'POST'],
  url: '/slow',
  async handler() {
    await sleep(4 * LIMIT_MS)
    return 'done'
  },
})
app.route({
  method: ['GET', 'POST'],
  url: '/signal',
  async handler(request) {
    await sleep(LIMIT_MS / 3)
    return request.signal.aborted
  },
})
const address = await app.listen({ host: '127.0.0.1', port: 0 })

const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
const seen = {}
for (const [name, request] of Object.entries({ GET: {}, 'POST without a body': { method: 'POST' }, 'POST with a body': json })) {
  const slow = await fetch(`${address}/slow`, request)
  const signal = await fetch(`${address}/signal`, request)
  seen[name] = { 'a handler of 4 × its limit': slow.status, 'signal.aborted in the handler': await signal.text() }
}
await app.close()
console.log(`fastify ${app.version}`)
console.table(seen)
const columns = Object.values(seen).map((row) => Object.values(row))
assert.deepEqual(columns, [[503, 'false'], [503, 'false'], [200, 'true']])
JS
node seen.mjs
