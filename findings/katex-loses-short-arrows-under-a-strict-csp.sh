#!/usr/bin/env bash
# KaTeX 0.19.1 beside a Content-Security-Policy without inline styles: `katex.render` sets the styles of its boxes by script,
# which the policy allows, but the width of a short arrow's SVG as an attribute, which it refuses. So everything is drawn
# but the arrow of `\vec F`, which is 0 pixels wide: no error, and the vector reads as a number. Needs Debian's chromium.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund katex@0.19.1 playwright-core@1.65.1
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'

const require = createRequire(import.meta.url)
const files = {
  '/katex.js': ['text/javascript', readFileSync(require.resolve('katex/dist/katex.min.js'))],
  '/katex.css': ['text/css', readFileSync(require.resolve('katex/dist/katex.min.css'))],
}
const PAGE = ['text/html', '<!doctype html><link rel=stylesheet href=/katex.css><script src=/katex.js></script><body>']
const server = createServer(({ url }, response) => {
  const [type, body] = files[url] ?? PAGE
  if (url === '/strict') response.setHeader('content-security-policy', "default-src 'self'")
  response.setHeader('content-type', type)
  response.end(body)
}).listen(0, '127.0.0.1')
await once(server, 'listening')

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage()
const seen = {}
for (const [name, path] of [['without a policy', '/'], ["default-src 'self'", '/strict']]) {
  await page.goto(`http://127.0.0.1:${server.address().port}${path}`)
  seen[name] = await page.evaluate(() => {
    const widthOf = (formula) => {
      const place = document.body.appendChild(document.createElement('p'))
      katex.render(formula, place, { output: 'html' })
      return Math.round(place.querySelector('svg').getBoundingClientRect().width)
    }
    return { '\\vec F': widthOf('\\vec F'), '\\overrightarrow{AB}': widthOf('\\overrightarrow{AB}') }
  })
}
console.log(`KaTeX 0.19.1, Chromium ${browser.version()}; the arrow's width in pixels`)
console.table(seen)
await browser.close()
server.close()
const [free, strict] = Object.values(seen)
assert.ok(free['\\vec F'] > 5)
assert.equal(strict['\\vec F'], 0)
assert.equal(strict['\\overrightarrow{AB}'], free['\\overrightarrow{AB}'])
JS
node seen.mjs
