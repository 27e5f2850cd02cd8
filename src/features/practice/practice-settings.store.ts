import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { practiceSettings } from '../../db/tables/practice.tables.ts'

/** A person's settings from an instant on, in milliseconds since the epoch. */
export interface PracticeSettingsRow {
  since: number
  newPerDay: number
  retention: number
}

/** All that these people ever had, oldest first. */
export async function listSettingsOf(
  db: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, PracticeSettingsRow[]>> {
  const rows = await query<PracticeSettingsRow & { userId: number }>(
    db,
    { userId: 'integer', since: 'float8', newPerDay: 'integer', retention: 'float8' },
    sql`
    select user_id as "userId", (extract(epoch from since) * 1000)::float8 as since, new_per_day as "newPerDay", retention
      from practice_settings settings where ${isAnyOf(sql`user_id`, userIds)} order by settings.since`,
  )
  return Map.groupBy(rows, ({ userId }) => userId)
}

export async function listSettings(db: Executor, userId: number): Promise<PracticeSettingsRow[]> {
  return (await listSettingsOf(db, [userId])).get(userId) ?? []
}

/** Those of the same instant are replaced. */
export async function putSettings(
  tx: Executor,
  userId: number,
  { since, newPerDay, retention }: PracticeSettingsRow,
): Promise<void> {
  const values = { newPerDay, retention }
  await tx
    .insert(practiceSettings)
    .values({ userId, since: new Date(since), ...values })
    .onConflictDoUpdate({ target: [practiceSettings.userId, practiceSettings.since], set: values })
}
