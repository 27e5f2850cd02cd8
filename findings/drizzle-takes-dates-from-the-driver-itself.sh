#!/usr/bin/env bash
# drizzle-orm 0.45.4 over postgres 3.4.9: `drizzle(client)` changes the client that it is given. From then on the client's
# own statements, elsewhere in the program, give times as texts, and a Date as a parameter, which it took before, is an
# error. A statement that a connection had prepared before goes on giving Dates there: of one text, some connections of a
# pool give Dates and others texts. (PGlite 0.5.14 is the server.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --omit=peer drizzle-orm@0.45.4 postgres@3.4.9 \
  @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

const db = await PGlite.create()
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 })
await server.start()
const port = Number(server.getServerConn().split(':').at(-1))
const sql = postgres({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: 1 })

const texts = {
  early: 'select now() as at, current_date as day, array[now()] as times where $1',
  late: 'select current_timestamp as at, current_date as day, array[now()] as times where $1',
}
async function look(text) {
  const [{ at, day, times }] = await sql.unsafe(text, [true], { prepare: true })
  const taken = await sql`select ${new Date()}::timestamptz as at`.then(() => 'taken', ({ name }) => name)
  const kind = (value) => value?.constructor.name
  return { timestamptz: kind(at), date: kind(day), 'timestamptz[]': kind(times), 'a Date as a parameter': taken }
}
const seen = { before: await look(texts.early) }
drizzle(sql)
seen['after drizzle(sql), a new statement'] = await look(texts.late)
seen['after drizzle(sql), one prepared before'] = await look(texts.early)
console.log('drizzle-orm 0.45.4, postgres 3.4.9; what statements of the driver give and take')
console.table(seen)
await sql.end()
await server.stop()
await db.close()
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [
  ['Date', 'Date', 'Array', 'taken'],
  ['String', 'String', 'String', 'TypeError'],
  ['Date', 'Date', 'Array', 'TypeError'],
])
JS
node seen.mjs
