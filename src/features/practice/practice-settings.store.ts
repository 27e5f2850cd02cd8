import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { practiceSettings } from '../../db/tables/practice.tables.ts'

const SETTINGS = rowOf(practiceSettings, undefined, { instants: 'ms' })

/** A person's settings from an instant on, in milliseconds since the epoch. */
export type PracticeSettingsRow = Row<typeof SETTINGS>

/** All that these people ever had, oldest first. */
export async function listSettingsOf(
  db: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, PracticeSettingsRow[]>> {
  const rows = await query<PracticeSettingsRow>(
    db,
    SETTINGS.check,
    sql`
    select ${SETTINGS.columns('settings')} from practice_settings settings
     where ${isAnyOf(sql`user_id`, userIds)} order by settings.since`,
  )
  return Map.groupBy(rows, ({ userId }) => userId)
}

export async function listSettings(db: Executor, userId: number): Promise<PracticeSettingsRow[]> {
  return (await listSettingsOf(db, [userId])).get(userId) ?? []
}

/** Those of the same instant are replaced. */
export async function putSettings(
  tx: Executor,
  { userId, since, newPerDay, retention }: PracticeSettingsRow,
): Promise<void> {
  const values = { newPerDay, retention }
  await tx
    .insert(practiceSettings)
    .values({ userId, since: new Date(since), ...values })
    .onConflictDoUpdate({ target: [practiceSettings.userId, practiceSettings.since], set: values })
}
