import type { Db } from '../../db/client.ts'

export interface Sync {
  attemptId: number
  /** A JSON object; null clears. */
  answers: string
  /** null: stays as it is. */
  markedForReview: number[] | null
  /** null: stays as it is. */
  revision: number | null
  /** Milliseconds since the epoch. */
  at: number
}

/**
 * One statement for many syncs: merges each into its attempt, if that is active, not overdue, and knows no
 * newer revision. The attempts are locked first, in the order of their ids, so that statements never lock
 * one another out; the locks re-read the rows, so that nothing is merged into a closed attempt. Of two syncs
 * of the same attempt one is left out, as one that doesn't apply is.
 */
const SAVE_ANSWERS = `
with input as materialized (
  select * from unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::float8[])
    with ordinality as t(attempt_id, answers, marked, revision, at, ord)
), target as materialized (
  select input.* from input join attempts a on a.id = attempt_id
   where a.status = 'active' and a.revision <= coalesce(input.revision, a.revision)
     and (a.ends_at is null or to_timestamp(at / 1000) <= a.ends_at + $6::int * interval '1 ms')
   order by a.id for no key update of a
)
update attempts a
   set answers = jsonb_strip_nulls(a.answers || target.answers::jsonb),
       marked_for_review = coalesce(target.marked::int[], a.marked_for_review),
       revision = coalesce(target.revision, a.revision)
  from target
 where a.id = target.attempt_id
returning target.ord::int, a.revision::float8`

/** The stored revision of each, in their order; undefined for each that was not merged. */
export async function saveAnswers(
  db: Db,
  syncs: Sync[],
  graceMs: number,
): Promise<({ revision: number } | undefined)[]> {
  const rows = await db.$client.unsafe<{ ord: number; revision: number }[]>(
    SAVE_ANSWERS,
    [
      syncs.map(({ attemptId }) => attemptId),
      syncs.map(({ answers }) => answers),
      syncs.map(({ markedForReview }) => markedForReview && `{${markedForReview.join()}}`),
      syncs.map(({ revision }) => revision),
      syncs.map(({ at }) => at),
      graceMs,
    ],
    { prepare: true },
  )
  const saved: ({ revision: number } | undefined)[] = syncs.map(() => undefined)
  for (const { ord, revision } of rows) saved[ord - 1] = { revision }
  return saved
}
