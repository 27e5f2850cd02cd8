#!/usr/bin/env bash
# Chromium (seen with 156): an element in a modal dialog has the focus and its ancestors in the document still contain it, but
# `:focus-within` of what is outside of the dialog doesn't match, while `:has(:focus)` does. A menu that is shown by the
# focus within its row vanishes when the dialog that it opened appears. Needs Debian's chromium.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund playwright-core@1.65.1
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage()
await page.setContent(`<!doctype html>
  <div id=row><button id=open>open</button><dialog id=dialog><input id=field></dialog></div>`)
const look = (how) =>
  page.evaluate((how) => {
    const dialog = document.querySelector('#dialog')
    dialog.close()
    dialog[how]()
    document.querySelector('#field').focus()
    const row = document.querySelector('#row')
    return {
      'row.contains(activeElement)': row.contains(document.activeElement) && document.activeElement.id === 'field',
      'row matches :focus-within': row.matches(':focus-within'),
      'row matches :has(:focus)': row.matches(':has(:focus)'),
    }
  }, how)
const seen = { 'dialog.show()': await look('show'), 'dialog.showModal()': await look('showModal') }
console.log(`Chromium ${browser.version()}`)
console.table(seen)
await browser.close()
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [[true, true, true], [true, false, true]])
JS
node seen.mjs
