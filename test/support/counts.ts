import type postgres from 'postgres'

/**
 * The counters that the service stores, and the same numbers counted from the rows: both have to be equal. How often
 * results changed is left out, since no row says it.
 */
export async function compareCounts(sql: postgres.Sql) {
  // One statement, so one moment.
  const [row] = await sql<[{ kept: object; counted: object }]>`
    select (select jsonb_object_agg(key, sum) from (
              select concat_ws(' ', what, exam_id, used) as key, sum(amount) from counts
               where what <> 'result_changes' group by 1 having sum(amount) <> 0) kept)
             || coalesce((select jsonb_object_agg('notebook ' || id, jsonb_build_array(likes, bookmarks)) from notebooks), '{}') as kept,
           (select jsonb_object_agg(key, amount) from (
              select 'role:' || role as key, count(*) as amount from users where id <> -1 group by role
              union all
              select concat_ws(' ', 'attempted', exam_id, used), count(*)
                from (select exam_id, count(*) as used from attempts group by user_id, exam_id) pair group by exam_id, used
              union all
              select 'results', count(*) from attempts where submitted_at is not null having count(*) > 0
              union all
              select 'responses', sum(correct + incorrect) from attempts having sum(correct + incorrect) > 0) counted)
             || coalesce((select jsonb_object_agg('notebook ' || id, jsonb_build_array(
                    (select count(*) from notebook_interactions where notebook_id = notebooks.id and kind = 'like'),
                    (select count(*) from notebook_interactions where notebook_id = notebooks.id and kind = 'bookmark')))
                  from notebooks), '{}') as counted`
  return row
}
