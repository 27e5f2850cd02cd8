#!/usr/bin/env bash
# ExcelJS 4.4.0: a cell whose formula came to 0 has no result in its `value`, an empty `text`, and is blank in the library's
# own CSV; the same for `false`. The file has the result, and another library reads it (read-excel-file 9.3.17). A typed 0
# stays 0. So of two students without a mark, one typed and one computed, only one has a zero.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund exceljs@4.4.0 read-excel-file@9.3.17
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import ExcelJS from 'exceljs'
import { readSheet } from 'read-excel-file/node'

const cells = { 'typed 0': 0, '=2*0': { formula: '2*0', result: 0 }, '=2*3': { formula: '2*3', result: 6 } }
const written = new ExcelJS.Workbook()
written.addWorksheet('marks').addRows(Object.values(cells).map((cell) => [cell]))
writeFileSync('marks.xlsx', Buffer.from(await written.xlsx.writeBuffer()))

const read = new ExcelJS.Workbook()
await read.xlsx.readFile('marks.xlsx')
const column = read.getWorksheet('marks').getColumn(1)
const csv = String(await read.csv.writeBuffer()).split('\n')
const others = await readSheet('marks.xlsx')
const seen = {}
for (const [index, name] of Object.keys(cells).entries()) {
  const cell = read.getWorksheet('marks').getCell(index + 1, 1)
  const [other] = others[index]
  seen[name] = { value: JSON.stringify(cell.value), text: cell.text, 'line of the CSV': csv[index], 'read-excel-file': other }
}
console.log('ExcelJS 4.4.0')
console.table(seen)
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [
  ['0', '0', '0', 0],
  ['{"formula":"2*0"}', '', '', 0],
  ['{"formula":"2*3","result":6}', '6', '6', 6],
])
JS
node seen.mjs
