import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt, id } from './columns.ts'
import { GHOST_ID, users } from './users.tables.ts'

/**
 * Changes by administrators and the command line, each written in the transaction of the change. A trigger refuses
 * changes of rows, except that an account's deletion replaces the actor by the ghost, keeps
 * their id aside, and removes the address.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: id(),
    at: createdAt(),
    /** null: the command line. Always given explicitly, since the default is the ghost. */
    actorId: integer()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    /** The id that a deleted actor had: their rows keep one name. The trigger writes it. */
    formerActorId: integer(),
    /** `<subject type>.<verb>`. */
    action: text().notNull(),
    subjectType: text().notNull(),
    /** An id or a key; null if a change has no single subject. No foreign key: the row outlives its subject. */
    subjectId: text(),
    /** The class that it is about, or for; it outlives that too. */
    classId: integer(),
    /** A description with ids and numbers, never names of people, their texts, or secrets. */
    summary: text().notNull(),
    ip: text(),
  },
  (table) => [
    index('audit_entries_actor_id_idx').on(table.actorId, table.id),
    index('audit_entries_action_idx').on(table.action, table.id),
    index('audit_entries_subject_idx').on(table.subjectType, table.subjectId, table.id),
    index('audit_entries_class_id_idx').on(table.classId, table.id).where(sql`${table.classId} is not null`),
  ],
)
