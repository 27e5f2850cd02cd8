import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { given } from '../../db/rows.ts'

/** The last explanations of questions in these versions (`questions.content_version`), by question id. */
export async function listExplanations(
  db: Executor,
  asked: readonly { id: number; version: number }[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await query<{ id: number; explanation: string }>(
    db,
    { id: 'integer', explanation: 'text' },
    sql`
    select asked.id, coalesce(q.explanation, past.explanation) as explanation
      from ${given({ id: 'integer', version: 'integer' }, asked, 'asked')}
      left join questions q on q.id = asked.id and q.content_version = asked.version
      left join past_explanations past on past.question_id = asked.id and past.version = asked.version
     where coalesce(q.explanation, past.explanation) <> ''`,
  )
  return new Map(rows.map(({ id, explanation }) => [id, explanation]))
}
