#!/usr/bin/env bash
# Chromium (seen with 156): a page that one left waits in memory, and Back shows it as it was. If meanwhile another tab sends
# a message on a BroadcastChannel that the page has open, or asks for a Web Lock that it holds, the page is thrown away and
# loaded anew: what its scripts kept is gone, and who tries it with one tab never sees it. A `storage` event ends nothing:
# it waits until the page is shown again. A page that closes its channel when it is left stays too. Needs Debian's chromium.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund playwright-core@1.65.1
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><title>page</title>')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const site = `http://localhost:${server.address().port}`
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
  ignoreDefaultArgs: ['--disable-back-forward-cache'],
})
const context = await browser.newContext()

async function goAndComeBack(meanwhile, closesChannel = false) {
  const page = await context.newPage()
  const other = await context.newPage()
  await page.goto(`${site}/first`)
  await other.goto(`${site}/other`)
  await page.evaluate(async (closesChannel) => {
    window.kept = { messages: 0, storageEvents: 0 }
    const channel = new BroadcastChannel('tabs')
    channel.onmessage = () => window.kept.messages++
    if (closesChannel) addEventListener('pagehide', () => channel.close())
    window.channel = channel
    addEventListener('storage', () => window.kept.storageEvents++)
    await new Promise((held) => {
      navigator.locks.request('draft', () => {
        held()
        return new Promise(() => {})
      })
    })
  }, closesChannel)
  await page.goto(`${site}/second`)
  await other.evaluate(meanwhile)
  await sleep(500)
  await page.evaluate(() => history.back())
  let path
  while (path !== '/first') {
    await sleep(100)
    path = await page.evaluate(() => location.pathname).catch(() => undefined)
  }
  await sleep(500)
  const seen = await page.evaluate(() => ({
    'is as it was': 'kept' in window,
    'messages that came': window.kept?.messages,
    'storage events that came': window.kept?.storageEvents,
    reason: performance.getEntriesByType('navigation')[0].notRestoredReasons?.reasons?.[0]?.reason,
  }))
  await page.close()
  await other.close()
  return seen
}
const send = () => new BroadcastChannel('tabs').postMessage('hello')
const seen = {
  'nothing happens': await goAndComeBack(() => {}),
  'another tab writes into localStorage': await goAndComeBack(() => localStorage.setItem('key', 'value')),
  'another tab sends a message': await goAndComeBack(send),
  'the same, the channel closed on leaving': await goAndComeBack(send, true),
  'another tab asks for the lock': await goAndComeBack(() => void navigator.locks.request('draft', () => {})),
}
console.log(`Chromium ${browser.version()}`)
console.table(seen)
await browser.close()
server.close()
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [
  [true, 0, 0, undefined],
  [true, 0, 1, undefined],
  [false, undefined, undefined, 'broadcastchannel-message'],
  [true, 0, 0, undefined],
  [false, undefined, undefined, 'weblocks-contention'],
])
JS
node seen.mjs
