#!/usr/bin/env bash
# Chromium (seen with 156): `PointerEvent.getCoalescedEvents`, which has the points of a pen between two frames, exists only
# in secure contexts. A page over http in a school's own network can't call it, while the rest of pointer events works:
# the same page on localhost has it, so that no developer sees it. Needs Debian's chromium.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund playwright-core@1.65.1
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { chromium } from 'playwright-core'

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><title>page</title>')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--host-resolver-rules=MAP school.example 127.0.0.1'],
})
const page = await browser.newPage()
const seen = {}
for (const host of ['localhost', 'school.example']) {
  await page.goto(`http://${host}:${port}/`)
  seen[`http://${host}`] = await page.evaluate(() => {
    const event = new PointerEvent('pointermove', { pointerType: 'pen', pressure: 0.5 })
    return {
      isSecureContext,
      getCoalescedEvents: typeof event.getCoalescedEvents,
      getPredictedEvents: typeof event.getPredictedEvents,
      pressure: event.pressure,
    }
  })
}
console.log(`Chromium ${browser.version()}`)
console.table(seen)
await browser.close()
server.close()
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [
  [true, 'function', 'function', 0.5],
  [false, 'undefined', 'function', 0.5],
])
JS
node seen.mjs
