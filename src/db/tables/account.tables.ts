import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, id, instant } from './columns.ts'
import { GHOST_ID, users } from './users.tables.ts'

/** The newest password reset of each account. */
export const passwordResets = pgTable(
  'password_resets',
  {
    userId: integer()
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the mailed token; null after it was used or voided. */
    tokenHash: text(),
    requestedAt: instant().notNull(),
    /** Where the link was mailed; null: by a version that didn't store it. */
    email: text(),
  },
  (table) => [uniqueIndex('password_resets_token_hash_key').on(table.tokenHash)],
)

/** Older resets whose links are still valid. */
export const earlierResets = pgTable(
  'earlier_resets',
  {
    tokenHash: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    requestedAt: instant().notNull(),
    email: text(),
  },
  (table) => [index('earlier_resets_user_id_idx').on(table.userId, table.requestedAt)],
)

/** The link for a new password that an administrator made for somebody. */
export const passwordLinks = pgTable(
  'password_links',
  {
    userId: integer()
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of its token. */
    tokenHash: text().notNull(),
    endsAt: instant().notNull(),
  },
  (table) => [uniqueIndex('password_links_token_hash_key').on(table.tokenHash)],
)

const ROLES = ['user', 'admin', 'user,admin'] as const

/** Accounts that ask for another role. */
export const accessRequests = pgTable(
  'access_requests',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    currentAccess: text({ enum: ROLES }).notNull(),
    requestedAccess: text({ enum: ROLES }).notNull(),
    status: text({ enum: ['pending', 'completed', 'denied'] })
      .notNull()
      .default('pending'),
    userReason: text().notNull(),
    /** Whether it was made in a session of the account, rather than by somebody who knows its name and address. */
    signedIn: boolean().notNull().default(true),
    /** Why it was denied. */
    adminReason: text(),
    /** null while pending. Always given explicitly, since the default is the ghost. */
    processedBy: integer()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    processedAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('access_requests_pending_key').on(table.userId).where(sql`${table.status} = 'pending'`),
    index('access_requests_user_id_idx').on(table.userId),
    index('access_requests_processed_by_idx').on(table.processedBy),
    index('access_requests_status_idx').on(table.status, table.id),
    check('access_requests_status_check', sql`${table.status} in ('pending', 'completed', 'denied')`),
  ],
)

/** Wrong pairs of name and address that came from a network without a session. */
export const accessFailures = pgTable(
  'access_failures',
  {
    /** An IPv4 address, or the first address of an IPv6 network. */
    network: text().primaryKey(),
    failures: integer().notNull(),
    /** The row counts until then. */
    expiresAt: instant().notNull(),
  },
  (table) => [index('access_failures_expires_at_idx').on(table.expiresAt)],
)
