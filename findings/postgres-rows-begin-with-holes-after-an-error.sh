#!/usr/bin/env bash
# postgres 3.4.9 (the driver): a statement that fails behind its first rows leaves their number on its connection. The next
# result there, of whoever gets the connection, begins with as many holes: its length is wrong, its first row undefined,
# `map` skips them and `for … of` doesn't. PostgreSQL sent all rows rightly. (PGlite 0.5.14 is the server.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --omit=peer postgres@3.4.9 @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import postgres from 'postgres'

const db = await PGlite.create()
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 })
await server.start()
const port = Number(server.getServerConn().split(':').at(-1))
const sql = postgres({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: 1 })

async function read() {
  const rows = await sql`select 'a' as letter`
  let mapped = 0
  rows.map(() => mapped++)
  return { length: rows.length, 'rows[0]': JSON.stringify(rows[0]), 'for … of': [...rows].length, map: mapped }
}
const seen = { before: await read() }
const failure = await sql`select 6 / (4 - n) as share from generate_series(1, 5) n`.catch(({ message }) => message)
seen['after the error'] = await read()
seen['and then'] = await read()
const [{ server_version: version }] = await sql`show server_version`
console.log(`postgres 3.4.9, PostgreSQL ${version}; one row is asked for; the error: ${failure}`)
console.table(seen)
await sql.end()
await server.stop()
await db.close()
assert.equal(failure, 'division by zero')
const ROW = '{"letter":"a"}'
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [[1, ROW, 1, 1], [4, undefined, 4, 1], [1, ROW, 1, 1]])
JS
node seen.mjs
