import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, id, instant } from './columns.ts'
import { users } from './users.tables.ts'

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
    /** The link that the person signed in by; null: a password or Google. No foreign key: it may be gone. */
    identityId: integer(),
    /** The provider's name of the session that it signed them in with. */
    providerSid: text(),
    /** When it ends however often it is refreshed; null: no such time. */
    endsAt: instant(),
    ip: text(),
    userAgent: text(),
    createdAt: createdAt(),
    lastUsedAt: createdAt(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    index('sessions_user_id_idx').on(table.userId),
    index('sessions_expires_at_idx').on(table.expiresAt),
    index('sessions_provider_sid_idx').on(table.providerSid).where(sql`${table.providerSid} is not null`),
  ],
)

/** Who somebody is at the OpenID Connect provider. */
export const identities = pgTable(
  'identities',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    issuer: text().notNull(),
    /** Never changes at its issuer, unlike the address. */
    subject: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('identities_issuer_subject_key').on(table.issuer, table.subject),
    uniqueIndex('identities_user_id_issuer_key').on(table.userId, table.issuer),
  ],
)

/** Failed logins by network and identifier, whether or not such an account exists. */
export const loginFailures = pgTable(
  'login_failures',
  {
    /** An IPv4 address, or the first address of an IPv6 network. */
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

/** A `minGeneration` higher than any generation: all tokens of the session are void. */
export const ENDED = 2_147_483_647
/** The `sessionId` of the row whose `minGeneration` is a session's id: all tokens of it, and of those before it, are void. */
export const ALL_BEFORE = 0

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
