import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { isLonger } from '../formats/code-points.ts'
import type { Db, Pool } from './database-client.ts'

/** Folds case as `foldCase` (formats/case-fold.ts) does: collation "C" changes A to Z only. */
export function foldedCase(column: SQLWrapper): SQL {
  return sql`lower(${column} collate "C")`
}

/** Whether a text contains these characters, in any case; `%` and `_` are plain characters. */
export function contains(column: SQLWrapper, text: string): SQL {
  return sql`${column} ${sql.raw(comparisonFor(text))} ${containing(text)}`
}

/**
 * `like` for a text without letters that have two cases: `ilike` puts every text in lower case first, which takes most
 * of its time.
 */
function comparisonFor(text: string): 'ilike' | 'like' {
  return text.toLowerCase() === text.toUpperCase() ? 'like' : 'ilike'
}

/** Makes a search with each comparison; answers which one finds a text in any case. */
export function byComparison<Search>(make: (compare: SQL) => Search): (text: string) => Search {
  const searches = { ilike: make(sql.raw('ilike')), like: make(sql.raw('like')) }
  return (text) => searches[comparisonFor(text)]
}

/** The pattern of texts that contain this one, as a value of a statement. */
export function containing(text: string): string {
  return `%${escapePattern(text)}%`
}

/** The pattern of texts that begin with this one, as a value of a statement that compares with `like`. */
export function beginningWith(text: string): string {
  return `${escapePattern(text)}%`
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}

/** The pool for a statement that looks for this text, if it isn't empty. */
export function plannedFor(text: string | undefined, db: Db): Pool {
  return text ? db.unprepared : db
}

/** The index of trigrams can't find shorter texts. */
const SHORTEST_INDEXED = 3

/** Whether an index can find this text. */
export function isIndexed(text: string): boolean {
  return isLonger(text, SHORTEST_INDEXED - 1)
}
