import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, id, instant } from './columns.ts'

/** The account that stands for deleted people; it has no password and can't sign in. */
export const GHOST_ID = -1

export const users = pgTable(
  'users',
  {
    id: id(),
    username: text().notNull(),
    email: text().notNull(),
    /** Whether its owner has shown that mail to it reaches them. */
    emailVerified: boolean().notNull().default(false),
    /** Who this is to the identity provider. */
    googleSubject: text(),
    fullName: text().notNull(),
    role: text({ enum: ['user', 'admin', 'user,admin'] }).notNull(),
    /** null: signs in through the identity provider only. */
    passwordHash: text(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (table) => [
    uniqueIndex('users_username_key').on(sql`lower(${table.username})`),
    uniqueIndex('users_email_key').on(sql`lower(${table.email})`),
    uniqueIndex('users_google_subject_key').on(table.googleSubject),
    index('users_search_idx').using(
      'gin',
      table.username.op('gin_trgm_ops'),
      table.fullName.op('gin_trgm_ops'),
      table.email.op('gin_trgm_ops'),
    ),
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

/** Every refresh token of a client's session that has not expired, spent ones too: used again they tell of a theft. */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    /** SHA-256 of the token. */
    hash: text().primaryKey(),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    expiresAt: instant().notNull(),
    /** When it was exchanged for the next one; null while it is the session's current one. */
    spentAt: instant(),
    /** Its one repeat within the grace is used up. */
    repeated: boolean().notNull().default(false),
  },
  (table) => [
    index('refresh_tokens_session_id_idx').on(table.sessionId),
    index('refresh_tokens_expires_at_idx').on(table.expiresAt),
  ],
)

/** Failed logins by where they came from and whom they named, whether or not such an account exists. */
export const loginFailures = pgTable(
  'login_failures',
  {
    ip: text().notNull(),
    /** As typed, in lower case. */
    identifier: text().notNull(),
    failures: integer().notNull(),
    /** Forgotten from then on; the third failure locks until then. */
    expiresAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.ip, table.identifier] }),
    index('login_failures_expires_at_idx').on(table.expiresAt),
  ],
)

/**
 * Tokens that ended before their time: those of `sessionId` below `minGeneration`. Outlives the session's
 * row, until no such token can be live any more.
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
