import { sql } from 'drizzle-orm'
import type { Pool } from '../../db/database-client.ts'
import { statement } from '../../db/query.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'

export interface PassageRow {
  materialId: number
  title: string
  page: number
  text: string
}

export interface PassageSearch {
  classId: number
  userId: number
  /** Administrators search every class. */
  isAdmin: boolean
  /** Words as JSON, each as a key of the index, and as what is looked for in it: a key, or `key:*`. */
  asked: string
  limit: number
  /** Whether rare words count more than many; else passages with the most words come first. */
  byWeight: boolean
}

/** Passages with all of the words that are looked at. */
const MOST_WITH_ALL = 64
/** Passages that are looked at for the rarer words together, about, and for each of them. */
const MOST_LOOKED_AT = 16_000
const PASSAGES_OF_WORD = 2_000
/** As many are reckoned with for a word that is frequent in no material. */
const PASSAGES_OF_RARE_WORD = 250
/** A word that more passages have is no rare one, unless it is one of the two rarest. */
const RARE = 3_000

/**
 * The passages of a class that fit best, for somebody who may read them now: rights and search are one statement.
 * Those that have all words are found by the index alone, however many have each of them. Only where they are fewer
 * than asked for, passages with the rarer words are counted: how rare these are is known of the words that many
 * passages have. So neither frequent words nor many words take long.
 */
export const searchPassages: (db: Pool, search: PassageSearch) => Promise<PassageRow[]> = statement<
  PassageSearch,
  PassageRow
>(
  { materialId: 'integer', title: 'text', page: 'integer', text: 'text' },
  ({ classId, userId, isAdmin, asked, limit, byWeight }) => sql`
  with asked as materialized (
    select each.word, class.id || ':' || each.word as key, ('''' || class.id || ':' || each.word || '''' || each.suffix)::tsquery as query
      from classes class, jsonb_to_recordset(${asked}::jsonb) each(word text, suffix text)
     where class.id = ${classId}::int
       and (${isAdmin}::boolean
            or exists (select from class_members
                        where class_id = class.id and user_id = ${userId}::int and left_at is null)
               and not ${isHelpLocked(sql`${userId}::int`)})
  ), whole as materialized (
    select material_id, number from material_passages passage
     where passage.words @@ (select string_agg(query::text, ' & ')::tsquery from asked) limit ${sql.raw(String(MOST_WITH_ALL))}
  ), rare as materialized (
    select key, query from (
      select key, query, coalesce(known.passages, 0) as passages, row_number() over rarest as place,
             sum(least(greatest(coalesce(known.passages, 0), ${sql.raw(String(PASSAGES_OF_RARE_WORD))}),
                       ${sql.raw(String(PASSAGES_OF_WORD))})) over rarest as taken
        from asked left join class_words known on known.class_id = ${classId}::int and known.word = asked.word
       where (select count(*) from whole) < ${limit}::int
      window rarest as (order by coalesce(known.passages, 0), length(key) desc, key)) ranked
     where place <= 2 or (taken <= ${sql.raw(String(MOST_LOOKED_AT))} and passages <= ${sql.raw(String(RARE))})
  ), holding as materialized (
    select rare.key, passage.material_id, passage.number
      from rare cross join lateral (
        select material_id, number from material_passages where words @@ rare.query
         limit ${sql.raw(String(PASSAGES_OF_WORD))}) passage
  ), weights as (
    select key, ln(1 + (select sum(passages) from materials where class_id = ${classId}::int) / count(*)::float8) as weight
      from holding group by key
  ), near as (
    select material_id, number, sum(weight) as weight from holding join weights using (key)
     group by material_id, number order by weight desc, material_id desc, number limit ${sql.raw(String(MOST_WITH_ALL))}
  ), candidates as (
    select material_id, number, max(weight) as weight
      from (select material_id, number, weight from near union all select material_id, number, 1e9 from whole) found
     group by material_id, number
  )
  select found.material_id as "materialId", found.title, passage.page, passage.text
    from (
      select candidate.material_id, candidate.number, candidate.weight, material.title,
             length(passage.words) - length(ts_delete(passage.words, (select array_agg(key) from asked))) as held
        from candidates candidate
        join materials material on material.id = candidate.material_id and material.status = 'ready'
             and material.class_id = ${classId}::int
        join material_passages passage
          on passage.material_id = candidate.material_id and passage.number = candidate.number
       order by case when ${byWeight}::boolean then candidate.weight end desc, held desc, candidate.weight desc,
                candidate.material_id desc, candidate.number
       limit ${limit}::int) found
    join material_passages passage on passage.material_id = found.material_id and passage.number = found.number
   order by case when ${byWeight}::boolean then found.weight end desc, found.held desc, found.weight desc,
            found.material_id desc, found.number`,
)
