import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, id, instant } from './columns.ts'

/** The account that stands for deleted people; it has no password and can't sign in. */
export const GHOST_ID = -1

export const users = pgTable(
  'users',
  {
    id: id(),
    username: text().notNull(),
    email: text().notNull(),
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
    /** SHA-256 of the refresh token's secret part; null for a web session. */
    refreshHash: text(),
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
