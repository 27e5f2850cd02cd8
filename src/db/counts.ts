import { sql } from 'drizzle-orm'
import type { Executor } from './database-client.ts'

/** Most rows, one per change, that are added up in one statement. */
const MOST_ROWS = 50_000
/** With fewer rows nothing is done. */
const FEW_ROWS = 500

/**
 * Replaces many rows of a count by their sum, so that reading it stays fast. Nodes that do this at once share the
 * work; the sums don't change.
 */
export async function addUpCounts(db: Executor, few = FEW_ROWS): Promise<void> {
  await db.execute(sql`
    with chosen as materialized (
      select id from counts
       where (select count(*) from (select from counts limit ${few}) first_ones) = ${few}
       order by id limit ${MOST_ROWS} for update skip locked
    ), gone as (
      delete from counts where id in (select id from chosen) returning what, exam_id, used, amount
    )
    insert into counts (what, exam_id, used, amount)
    select what, exam_id, used, sum(amount) from gone group by what, exam_id, used having sum(amount) <> 0`)
}
