import path from 'node:path'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Core } from '../../core.ts'
import { slicesOf } from '../../formats/slices.ts'
import { toZip, type ZipFile } from '../../formats/zip-stream.ts'
import { releaseResult, type StoredScore } from '../attempts/result-visibility.service.ts'
import * as store from './account-export.store.ts'
import { AREAS, LEFT_OUT } from './account-export-areas.store.ts'

/** Most rows of a table that are in memory at once, or most objects on one page of notes. */
const ROWS_AT_ONCE = 100

/** Throws once the person may no longer have their export: an exam that locks help has begun, or the session ended. */
type Check = () => Promise<void>

/**
 * A zip of everything that the service holds about a person, written as fast as the client reads. It breaks off where
 * `check` throws.
 */
export function exportAccount(core: Core, userId: number, check: Check): Readable {
  return toZip(listFiles({ core, userId, check }))
}

/** An export under way. */
interface Export {
  core: Core
  userId: number
  check: Check
}

async function* listFiles(run: Export): AsyncGenerator<ZipFile> {
  yield { path: 'README.txt', content: describe() }
  for (const [name, area] of Object.entries(AREAS)) {
    const lost = new Set<unknown>()
    if (area.fields?.file) yield* readFiles(run, name, area, lost)
    yield { path: `${name}.schema.json`, content: JSON.stringify(schemaOf(name, area), undefined, 2) }
    yield { path: `${name}.json`, content: writeRows(run, name, area, lost) }
  }
}

function describe(): string {
  const leftOut = Object.entries(LEFT_OUT).flatMap(([table, why]) =>
    typeof why === 'string'
      ? [`${table}: ${why}`]
      : Object.entries(why).map(
          ([columns, reason]) => `${table} (${columns.replaceAll(' ', ', ')}): ${reason}`,
        ),
  )
  return [
    'Everything that this service holds about you. X.schema.json says what X.json looks like; times are in UTC.',
    '',
    ...Object.entries(AREAS).map(([name, { title }]) => `${name}.json: ${title}`),
    '',
    'Your password and the secrets of your sessions are in none of them. What of the tables is not here, and why:',
    '',
    ...leftOut,
    '',
  ].join('\n')
}

function schemaOf(name: string, area: store.Area) {
  const row = Type.Object(
    Object.fromEntries(Object.entries(store.fieldsOf(area)).map(([field, { schema }]) => [field, schema])),
  )
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: area.title,
    ...Type.Object({
      $schema: Type.Literal(`./${name}.schema.json`),
      [name]: area.single ? row : Type.Array(row),
    }),
  }
}

/** The rows, read in steps; rows that were deleted meanwhile are left out. */
async function* readRows({ core, userId, check }: Export, area: store.Area): AsyncGenerator<store.Row> {
  for (const keys of slicesOf(await store.listKeys(core.db, userId, area), ROWS_AT_ONCE)) {
    await check()
    yield* await store.listRows(core.db, userId, area, keys)
  }
}

/** The files beside a list; `lost` gets the rows whose file can't be read. */
async function* readFiles(
  run: Export,
  name: string,
  area: store.Area,
  lost: Set<unknown>,
): AsyncGenerator<ZipFile> {
  for await (const row of readRows(run, area)) {
    // A file can take a reader minutes.
    await run.check()
    const file = row.file === null ? undefined : await run.core.files.get(String(row.file))
    if (file) yield { path: placeOf(name, row), content: file.bytes }
    else lost.add(row.id)
  }
}

/** By number: names may be the same, and not every disk takes every name. */
function placeOf(name: string, { id, file }: store.Row): string {
  return `${name}/${id}${path.posix.extname(String(file))}`
}

async function* writeRows(
  run: Export,
  name: string,
  area: store.Area,
  lost: ReadonlySet<unknown>,
): AsyncGenerator<string> {
  yield `{"$schema":"./${name}.schema.json","${name}":${area.single ? '' : '['}`
  let separator = area.single ? '' : '\n'
  for await (const row of readRows(run, area)) {
    yield separator
    if (name === 'note_pages') yield* writePage(run, row)
    else yield JSON.stringify(finish(name, row, lost))
    separator = ',\n'
  }
  yield area.single ? '}\n' : ']}\n'
}

/** What of a row isn't exported as it is stored. */
function finish(name: string, row: store.Row, lost: ReadonlySet<unknown>): store.Row {
  if ('file' in row) return { ...row, file: lost.has(row.id) ? null : placeOf(name, row) }
  if (name !== 'attempts') return row
  const { exam, ...attempt } = row.result as StoredScore & Pick<Parameters<typeof releaseResult>[0], 'exam'>
  return { ...row, result: releaseResult({ attempt, exam })?.score ?? null }
}

async function* writePage({ core, check }: Export, { objects, ...page }: store.Row): AsyncGenerator<string> {
  yield `${JSON.stringify(page).slice(0, -1)},"objects":[`
  let separator = ''
  for (const ids of slicesOf(objects as number[], ROWS_AT_ONCE)) {
    await check()
    const texts = await store.listObjects(core.db, ids)
    if (texts.length === 0) continue
    yield separator + texts.join()
    separator = ','
  }
  yield ']}'
}
