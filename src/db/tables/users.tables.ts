import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { boolean, check, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { foldedCase } from '../text-search.ts'
import { createdAt, id, instant } from './columns.ts'

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
    /** Whether a provider has said that the address is somebody else's by now; it isn't verified then. */
    emailContested: boolean().notNull().default(false),
    /** The person's subject at the identity provider. */
    googleSubject: text(),
    fullName: text().notNull(),
    role: text({ enum: ['user', 'admin', 'user,admin'] }).notNull(),
    /** null: signs in through the identity provider only. */
    passwordHash: text(),
    /**
     * Whether the operator made it at the command line: then it keeps its password and role, whatever a provider says.
     */
    byOperator: boolean().notNull().default(false),
    /** Whether an administrator made it and nobody has signed in to it yet. */
    unclaimed: boolean().notNull().default(false),
    /** Since when an administrator keeps it from signing in; null: it may. */
    suspendedAt: instant(),
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
