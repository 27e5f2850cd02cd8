#!/usr/bin/env bash
# @citolab/qti-components 7.27.4, a player of QTI 3: `tolerance-mode` of an item's numbers and `rounding-mode` of
# `qti-equal-rounded` are looked for under a name without the hyphen, so they are never read. An answer within the tolerance
# gets nothing; "to two decimal places" becomes "to two significant figures", and 124 is right where 120.25 is the key.
# Both without an error to anybody who takes the exam. Needs Debian's chromium.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @citolab/qti-components@7.27.4 playwright-core@1.65.1
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { chromium } from 'playwright-core'

const player = readFileSync('node_modules/@citolab/qti-components/cdn/index.js')
const server = createServer(({ url }, response) => {
  const isPlayer = url === '/player.js'
  response.setHeader('content-type', isPlayer ? 'text/javascript' : 'text/html')
  response.end(isPlayer ? player : '<!doctype html><script type=module src=/player.js></script><body>')
}).listen(0, '127.0.0.1')
await once(server, 'listening')

const writeItem = (key, test) => `
  <qti-assessment-item xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0" identifier="item" title="Item" adaptive="false"
    time-dependent="false">
    <qti-response-declaration identifier="RESPONSE" cardinality="single" base-type="float">
      <qti-correct-response><qti-value>${key}</qti-value></qti-correct-response>
    </qti-response-declaration>
    <qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float">
      <qti-default-value><qti-value>0</qti-value></qti-default-value>
    </qti-outcome-declaration>
    <qti-item-body><p>How much? <qti-text-entry-interaction response-identifier="RESPONSE"/></p></qti-item-body>
    <qti-response-processing>
      <qti-response-condition>
        <qti-response-if>
          ${test}
          <qti-set-outcome-value identifier="SCORE"><qti-base-value base-type="float">1</qti-base-value></qti-set-outcome-value>
        </qti-response-if>
      </qti-response-condition>
    </qti-response-processing>
  </qti-assessment-item>`
const BOTH = '<qti-variable identifier="RESPONSE"/><qti-correct identifier="RESPONSE"/>'
const WITHIN_HALF = `<qti-equal tolerance-mode="absolute" tolerance="0.5 0.5">${BOTH}</qti-equal>`
const TWO_DECIMALS = `<qti-equal-rounded rounding-mode="decimalPlaces" figures="2">${BOTH}</qti-equal-rounded>`

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage()
await page.goto(`http://127.0.0.1:${server.address().port}`)
await page.waitForFunction(() => customElements.get('qti-item') && customElements.get('qti-assessment-item'))
async function score(xml, answer) {
  await page.evaluate(async (xml) => {
    document.body.innerHTML = '<qti-item><item-container></item-container></qti-item>'
    const container = document.querySelector('item-container')
    await container.updateComplete
    container.itemXML = xml
  }, xml)
  const item = await page.waitForSelector('qti-assessment-item qti-text-entry-interaction', { state: 'attached' })
  return item.evaluate(async (interaction, answer) => {
    const item = interaction.closest('qti-assessment-item')
    await Promise.all([item.updateComplete, interaction.updateComplete])
    item.updateResponseVariable('RESPONSE', answer)
    item.processResponse()
    return Number(item.variables.find(({ identifier }) => identifier === 'SCORE').value)
  }, answer)
}
const seen = []
for (const [key, rule, test, answer, expected] of [
  ['9.81', 'within 0.5', WITHIN_HALF, '9.81', 1],
  ['9.81', 'within 0.5', WITHIN_HALF, '9.8', 1],
  ['120.25', 'two decimal places', TWO_DECIMALS, '120.251', 1],
  ['120.25', 'two decimal places', TWO_DECIMALS, '124', 0],
])
  seen.push({ key, rule, answer, 'score by the standard': expected, 'score seen': await score(writeItem(key, test), answer) })
console.log(`@citolab/qti-components 7.27.4, Chromium ${browser.version()}`)
console.table(seen)
await browser.close()
server.close()
assert.deepEqual(seen.map((row) => row['score seen']), [1, 0, 1, 1])
JS
node seen.mjs
