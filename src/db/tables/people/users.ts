import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { foldedCase } from '../../search.ts'
import { createdAt, id, instant } from '../columns.ts'

/** The account that stands for deleted people; it has no password and can't sign in. */
export const GHOST_ID = -1

/** Whether an id is a person's and not the ghost's. */
export function isPerson(userId: SQLWrapper): SQL {
  return sql`${userId} <> ${sql.raw(String(GHOST_ID))}`
}

/**
 * Whether a row of `users` is somebody's account: neither the ghost nor a deleted one. `name` is the table's name in
 * the query.
 */
export function isAccount(name = 'users'): SQL {
  const row = sql.raw(name)
  return sql`(${isPerson(sql`${row}.id`)} and ${row}.deleted_at is null)`
}

export const users = pgTable(
  'users',
  {
    id: id(),
    username: text().notNull(),
    email: text().notNull(),
    /** Whether the owner has proved that mail to this address reaches them. */
    emailVerified: boolean().notNull().default(false),
    /** The person's subject at the identity provider. */
    googleSubject: text(),
    fullName: text().notNull(),
    role: text({ enum: ['user', 'admin', 'user,admin'] }).notNull(),
    /** null: signs in through the identity provider only. */
    passwordHash: text(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
    /**
     * When its owner deleted it: nobody can use it any more, and the rows that refer to it are erased piece by piece.
     */
    deletedAt: instant(),
  },
  (table) => [
    uniqueIndex('users_username_key').on(foldedCase(table.username)),
    uniqueIndex('users_email_key').on(foldedCase(table.email)),
    uniqueIndex('users_google_subject_key').on(table.googleSubject),
    index('users_search_idx').using(
      'gin',
      table.username.op('gin_trgm_ops'),
      table.fullName.op('gin_trgm_ops'),
      table.email.op('gin_trgm_ops'),
    ),
    // Few accounts have such a role, and queries ask for these alone.
    index('users_staff_idx').on(table.role, table.id).where(sql`${table.role} <> 'user'`),
    index('users_deleted_at_idx').on(table.deletedAt).where(sql`${table.deletedAt} is not null`),
    check('users_role_check', sql`${table.role} in ('user', 'admin', 'user,admin')`),
  ],
)

/** A row per login. Its tokens carry `id` and `generation`. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['client', 'web'] }).notNull(),
    generation: integer().notNull().default(0),
    /** Of a client's current refresh token. */
    refreshGeneration: integer().notNull().default(0),
    /** When the previous one was spent; null: there was none. */
    rotatedAt: instant(),
    /** Whether the current one has been used: from then on the previous one is refused. */
    refreshUsed: boolean().notNull().default(false),
    /** The web session of the page that got this one; null: from a login. No foreign key: it may be gone. */
    openedBy: integer(),
    ip: text(),
    userAgent: text(),
    createdAt: createdAt(),
    lastUsedAt: createdAt(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    index('sessions_user_id_idx').on(table.userId),
    index('sessions_expires_at_idx').on(table.expiresAt),
  ],
)

/**
 * Refresh tokens from the time when each one was stored: they are still accepted, and none is added. The unspent one
 * of a session counts as generation 0. Using a spent one again shows a theft.
 */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    /** SHA-256 of the token. */
    hash: text().primaryKey(),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    expiresAt: instant().notNull(),
    /** When it was used; null: never. */
    spentAt: instant(),
    repeated: boolean().notNull().default(false),
  },
  (table) => [
    index('refresh_tokens_session_id_idx').on(table.sessionId),
    index('refresh_tokens_expires_at_idx').on(table.expiresAt),
  ],
)

/** Failed logins by address and identifier, whether or not such an account exists. */
export const loginFailures = pgTable(
  'login_failures',
  {
    ip: text().notNull(),
    /** As typed, case folded. */
    identifier: text().notNull(),
    failures: integer().notNull(),
    /** The row counts until then; from the third failure on it locks until then. */
    expiresAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.ip, table.identifier] }),
    index('login_failures_expires_at_idx').on(table.expiresAt),
  ],
)

/**
 * Revoked tokens: those of `sessionId` below `minGeneration`. The row outlives the session, until none of these
 * tokens could still be valid.
 */
export const revocations = pgTable(
  'revocations',
  {
    sessionId: integer().primaryKey(),
    minGeneration: integer().notNull(),
    revokedAt: createdAt(),
  },
  (table) => [index('revocations_revoked_at_idx').on(table.revokedAt)],
)
