import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'

/** Deletes conversations with the tutor whose last question is older, their messages with them; answers how many. */
export async function deleteOldConversations(db: Executor, now: Date, days: number, limit: number) {
  const gone = await db.execute(sql`
    delete from assistant_conversations where id = any(array(
      select id from assistant_conversations where updated_at < ${before(now, days)}
       limit ${limit} for update skip locked))`)
  return gone.count
}

/** Deletes older entries of the audit log, whose ids are in the order of their time; answers how many. */
export async function deleteOldEntries(tx: Executor, now: Date, days: number, limit: number) {
  // The table refuses every deletion that doesn't say this, and those of the last 30 days.
  await tx.execute(sql`set local exam_practice.audit_retention = 'on'`)
  const gone = await tx.execute(sql`
    delete from audit_entries where id = any(array(
      select id from (select id, at from audit_entries order by id limit ${limit}) oldest
       where at < ${before(now, days)}))`)
  return gone.count
}

function before(now: Date, days: number) {
  return sql`${now.toISOString()}::timestamptz - make_interval(days => ${days}::int)`
}
