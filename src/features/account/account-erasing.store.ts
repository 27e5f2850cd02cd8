import { asc, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { GHOST_ID, users } from '../../db/tables/users.tables.ts'

/** Deletes at most `limit` rows of a person, or gives them to the ghost; answers how many there were. */
export type Step = (tx: Executor, userId: number, limit: number) => Promise<number>

/** Deleted accounts that are not erased yet, the longest deleted first. */
export async function listDeleted(db: Executor, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(isNotNull(users.deletedAt))
    .orderBy(asc(users.deletedAt))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/**
 * Locks a deleted account until the transaction ends, so that nobody else erases it and no new row refers to it.
 * `held`: another transaction has the lock; `gone`: everything is erased.
 */
export async function holdDeleted(tx: Executor, userId: number): Promise<'mine' | 'held' | 'gone'> {
  const deleted = sql`from users where id = ${userId} and deleted_at is not null`
  if ((await tx.execute(sql`select ${deleted} for update skip locked`)).length > 0) return 'mine'
  return (await tx.execute(sql`select ${deleted}`)).length > 0 ? 'held' : 'gone'
}

export async function deleteUser(tx: Executor, userId: number): Promise<void> {
  await tx.delete(users).where(eq(users.id, userId))
}

/** In the context that decided reports keep. */
const GHOST_AUTHOR = JSON.stringify({ authorId: GHOST_ID })

/**
 * Everything beside chat of which a person can have many rows, dependent rows first. The few other rows are deleted
 * with the account's own row, by their foreign keys.
 */
export const STEPS: readonly Step[] = [
  remove('page_objects', (id) => sql`page_id in (select id from pages where ${ofNotebooks(id)})`),
  remove('assets', (id) => sql`page_id in (select id from pages where ${ofNotebooks(id)})`),
  remove('pages', ofNotebooks),
  remove('notebook_interactions', ofNotebooks),
  remove('notebook_interactions', (id) => sql`user_id = ${id}`),
  remove('notebooks', (id) => sql`owner_id = ${id}`),
  remove(
    'assistant_messages',
    (id) => sql`
    conversation_id in (select id from assistant_conversations where user_id = ${id})`,
  ),
  remove('assistant_conversations', (id) => sql`user_id = ${id}`),
  remove('assistant_questions', (id) => sql`user_id = ${id}`),
  remove('challenges', (id) => sql`attempt_id in (select id from attempts where user_id = ${id})`),
  remove('attempts', (id) => sql`user_id = ${id}`),
  remove('practice_reviews', (id) => sql`user_id = ${id}`),
  remove('practice_cards', (id) => sql`user_id = ${id}`),
  remove('access_requests', (id) => sql`user_id = ${id}`),
  remove('blocks', (id) => sql`blocker_id = ${id}`),
  remove('blocks', (id) => sql`blocked_id = ${id}`),
  remove('attachments', (id) => sql`owner_id = ${id} and message_id is null`),
  giveToGhost('attachments', 'owner_id'),
  async (tx, userId, limit) => {
    const { count } = await tx.execute(sql`
      update messages set mentions = nullif(array_remove(mentions, ${userId}), '{}')
       where id = any(array(select message_id from mentions where user_id = ${userId} limit ${limit}))`)
    return count
  },
  giveToGhost('comments', 'author_id'),
  giveToGhost('class_news', 'author_id'),
  giveToGhost('attempt_messages', 'author_id'),
  giveToGhost('materials', 'giver_id'),
  async (tx, userId, limit) => {
    const { count } = await tx.execute(sql`
      update reports set context = (
          select jsonb_agg(case (near ->> 'authorId')::int when ${userId} then near || ${GHOST_AUTHOR}::jsonb else near end
                           order by place)
            from jsonb_array_elements(context) with ordinality as around(near, place))
       where ctid = any(array(
         select ctid from reports where context @> ${JSON.stringify([{ authorId: userId }])}::jsonb limit ${limit}))`)
    return count
  },
  giveToGhost('reports', 'reporter_id'),
  giveToGhost('reports', 'author_id'),
  giveToGhost('reports', 'resolved_by'),
  giveToGhost('access_requests', 'processed_by'),
  giveToGhost('regrades', 'created_by'),
  giveToGhost('generation_jobs', 'user_id'),
  giveToGhost('audit_entries', 'actor_id'),
]

function ofNotebooks(userId: number): SQL {
  return sql`notebook_id in (select id from notebooks where owner_id = ${userId})`
}

function remove(table: string, whose: (userId: number) => SQL): Step {
  const name = sql.raw(table)
  return async (tx, userId, limit) => {
    const { count } = await tx.execute(sql`
      delete from ${name} where ctid = any(array(select ctid from ${name} where ${whose(userId)} limit ${limit}))`)
    return count
  }
}

function giveToGhost(table: string, column: string): Step {
  const [name, person] = [sql.raw(table), sql.raw(column)]
  return async (tx, userId, limit) => {
    const { count } = await tx.execute(sql`
      update ${name} set ${person} = ${GHOST_ID}
       where ctid = any(array(select ctid from ${name} where ${person} = ${userId} limit ${limit}))`)
    return count
  }
}
