#!/usr/bin/env bash
# PostgreSQL 18 (here as PGlite 0.5.17): a prepared statement with `= any($1)` is planned anew at each execution, for ever.
# A plan for a given array knows how short it is and looks cheaper than the one that would serve all, whose guess is ten
# elements. Behind a subquery, which hides the array from the planner, the sixth execution keeps its plan as for one value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @electric-sql/pglite@0.5.17
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { PGlite } from '@electric-sql/pglite'

const db = await PGlite.create()
await db.exec(`
  create table items as select id::bigint, id % 10 as kind from generate_series(1, 20000) id;
  create unique index on items (id);
  analyze items;
  prepare one_value(bigint) as select kind from items where id = $1;
  prepare short_array(bigint[]) as select kind from items where id = any($1);
  prepare hidden_array(bigint[]) as select kind from items where id = any(array(select unnest($1)))`)
for (let count = 0; count < 40; count++)
  await db.exec('execute one_value(1); execute short_array(array[1, 2, 3]); execute hidden_array(array[1, 2, 3])')

const { rows: versions } = await db.query('show server_version')
const { rows } = await db.query('select name, generic_plans, custom_plans from pg_prepared_statements order by name')
const seen = Object.fromEntries(rows.filter(({ name }) => name.includes('_')).map(({ name, ...plans }) => [name, plans]))
console.log(`PostgreSQL ${versions[0].server_version}, forty executions of each`)
console.table(seen)
assert.deepEqual(seen.short_array, { generic_plans: 0, custom_plans: 40 })
assert.deepEqual(seen.hidden_array, { generic_plans: 35, custom_plans: 5 })
assert.deepEqual(seen.one_value, { generic_plans: 35, custom_plans: 5 })
JS
node seen.mjs
