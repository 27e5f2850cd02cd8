import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Wish, WishedKind } from '../../../schemas/notices.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { only } from '../../db/query.ts'
import type { PUSH_KINDS } from '../../db/tables/push.tables.ts'
import { pushCauses, pushKeys, pushSettings, pushSubscriptions } from '../../db/tables/push.tables.ts'
import { sessions } from '../../db/tables/sign-in.tables.ts'

export type SubscriptionRow = typeof pushSubscriptions.$inferSelect
export type PushSettingsRow = typeof pushSettings.$inferSelect
export type PushKind = (typeof PUSH_KINDS)[number]

/** The id of the rows of tables with a single one. */
export const ONLY_ID = 1

export async function findKey(db: Executor) {
  const [row] = await db.select().from(pushKeys).where(eq(pushKeys.id, ONLY_ID))
  return row
}

/** Stores the key if there is none yet; the first one stays. */
export async function insertKey(
  db: Executor,
  key: Pick<typeof pushKeys.$inferInsert, 'publicKey' | 'privateKey'>,
): Promise<void> {
  await db
    .insert(pushKeys)
    .values({ id: ONLY_ID, ...key })
    .onConflictDoNothing()
}

export async function findSettings(db: Executor, userId: number): Promise<PushSettingsRow | undefined> {
  const [row] = await db.select().from(pushSettings).where(eq(pushSettings.userId, userId))
  return row
}

export async function upsertSettings(
  db: Executor,
  userId: number,
  change: Partial<typeof pushSettings.$inferInsert>,
): Promise<PushSettingsRow> {
  const { notices } = change
  // Kinds that aren't named stay as they are.
  const merged = notices && { notices: sql`${pushSettings.notices} || ${JSON.stringify(notices)}::jsonb` }
  return only(
    await db
      .insert(pushSettings)
      .values({ userId, ...change })
      .onConflictDoUpdate({ target: pushSettings.userId, set: { userId, ...change, ...merged } })
      .returning(),
  )
}

/** Leaves whether pushes are wanted as it is. */
export async function turnMailsOff(
  db: Executor,
  userId: number,
  kind: WishedKind,
  none: Wish,
): Promise<void> {
  const wishes = (before: SQL) => sql`jsonb_build_object(${kind}::text,
    coalesce(${before} -> ${kind}, ${JSON.stringify(none)}::jsonb) || '{"mail": false}')`
  await db.execute(sql`
    insert into push_settings as known (user_id, notices) values (${userId}, ${wishes(sql`'{}'::jsonb`)})
    on conflict (user_id) do update set notices = known.notices || ${wishes(sql`known.notices`)}`)
}

export async function listSubscriptions(db: Executor, userId: number): Promise<SubscriptionRow[]> {
  return db
    .select()
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.userId, userId))
    .orderBy(pushSubscriptions.id)
}

/** What somebody else had registered goes, with what waits for them. */
export async function deleteOthers(
  tx: Executor,
  { endpoint, userId }: Pick<SubscriptionRow, 'endpoint' | 'userId'>,
): Promise<void> {
  await tx
    .delete(pushSubscriptions)
    .where(and(eq(pushSubscriptions.endpoint, endpoint), ne(pushSubscriptions.userId, userId)))
}

/** undefined if somebody else has registered it meanwhile. */
export async function upsertSubscription(
  tx: Executor,
  values: typeof pushSubscriptions.$inferInsert,
): Promise<SubscriptionRow | undefined> {
  const { userId, sessionId, p256dh, auth, language } = values
  const [row] = await tx
    .insert(pushSubscriptions)
    .values(values)
    .onConflictDoUpdate({
      target: pushSubscriptions.endpoint,
      set: { sessionId, p256dh, auth, language, failingSince: null },
      setWhere: eq(pushSubscriptions.userId, userId),
    })
    .returning()
  return row
}

export async function deleteSubscription(db: Executor, id: number, userId: number): Promise<boolean> {
  const rows = await db
    .delete(pushSubscriptions)
    .where(and(eq(pushSubscriptions.id, id), eq(pushSubscriptions.userId, userId)))
    .returning({ id: pushSubscriptions.id })
  return rows.length > 0
}

/** From now on, messages are looked at; those from before the first subscription are not. */
export async function beginCursor(tx: Executor): Promise<void> {
  await tx.execute(sql`
    insert into push_cursor (id, message_id) select ${ONLY_ID}, coalesce(max(id), 0) from messages
    on conflict do nothing`)
}

export async function insertCauses(tx: Executor, causes: (typeof pushCauses.$inferInsert)[]): Promise<void> {
  await tx.insert(pushCauses).values(causes)
}

/** Whether a session is there: it may have ended while its request was running. */
export async function holdSession(tx: Executor, id: number): Promise<boolean> {
  const rows = await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, id)).for('key share')
  return rows.length > 0
}
