import { HELD } from '../../db/batches.ts'
import type { Db } from '../../db/database-client.ts'
import { type Columns, toRows } from '../../db/query.ts'

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

/** Whether the attempt `a` takes a sync. */
function takesSync(sync: string): string {
  return `a.status = 'active' and a.revision <= coalesce(${sync}.revision, a.revision)
     and (a.ends_at is null or to_timestamp(${sync}.at / 1000) <= a.ends_at + $6::int * interval '1 ms')`
}

/**
 * One statement for many syncs: it merges each one into its attempt if that is active, not overdue, and has no newer
 * revision. Locked attempts are skipped, so no sync waits for another's attempt. Locking reads the rows again, so
 * nothing is merged into a closed attempt. Of two syncs of one attempt, one is left out.
 */
const SAVE_ANSWERS = `
with input as materialized (
  select * from unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::float8[])
    with ordinality as t(attempt_id, answers, marked, revision, at, ord)
), fitting as materialized (
  select input.* from input join attempts a on a.id = attempt_id where ${takesSync('input')}
), target as materialized (
  select fitting.* from fitting join attempts a on a.id = attempt_id where ${takesSync('fitting')}
   order by a.id for no key update of a skip locked
), saved as (
  update attempts a
     set answers = jsonb_strip_nulls(a.answers || target.answers::jsonb),
         marked_for_review = coalesce(target.marked::int[], a.marked_for_review),
         revision = coalesce(target.revision, a.revision),
         last_saved_at = to_timestamp(target.at / 1000)
    from target
   where a.id = target.attempt_id
  returning target.ord, a.revision, a.ends_at
)
select fitting.ord::int, saved.ord is null as "isHeld", saved.revision::float8,
       extract(epoch from saved.ends_at)::float8 * 1000 as "endsAt"
  from fitting left join saved using (ord)`

/** How an attempt stands once a sync was merged. */
export interface MergeResult {
  revision: number
  /** Milliseconds since the epoch; null: untimed. */
  endsAt: number | null
}

type SavedRow = MergeResult & { ord: number; isHeld: boolean }

const SAVED_TYPES: Columns<SavedRow> = {
  ord: 'integer',
  isHeld: 'boolean',
  revision: 'float8',
  endsAt: 'float8',
}

/**
 * The outcome of each sync, in order: undefined if it does not fit, `HELD` if somebody else has locked the attempt.
 */
export async function saveAnswers(
  db: Db,
  syncs: Sync[],
  graceMs: number,
): Promise<(MergeResult | typeof HELD | undefined)[]> {
  const result = await db.$client.unsafe(
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
  const saved: (MergeResult | typeof HELD | undefined)[] = syncs.map(() => undefined)
  for (const { ord, isHeld, revision, endsAt } of toRows<SavedRow>(result, SAVED_TYPES))
    saved[ord - 1] = isHeld ? HELD : { revision, endsAt }
  return saved
}
