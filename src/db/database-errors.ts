import { DrizzleQueryError } from 'drizzle-orm/errors'
import { AppError, busy, type ErrorCode, noRoom } from '../errors.ts'

/** Constraints that a request can violate in a race, with the failures that the caller gets. */
const CONSTRAINTS: Record<string, ErrorCode> = {
  users_username_key: 'username_taken',
  users_email_key: 'email_taken',
  exams_category_id_categories_id_fk: 'unknown_category',
  comments_parent_id_comments_id_fk: 'validation_failed',
  challenges_open_key: 'already_pending',
  // Somebody starts an exam while their account is being deleted.
  attempts_user_id_users_id_fk: 'token_expired_or_invalid',
  access_requests_pending_key: 'request_pending',
}

/** PostgreSQL's code for a row that refers to another one which isn't there. */
const MISSING_REFERENCE = '23503'

/** PostgreSQL's codes for data that the schema accepts and PostgreSQL refuses. */
const BAD_DATA = new Set(['22003', '22021', '22P02', '22P05', '22007', '22008'])

/**
 * Codes of the driver and the server for a database that can't be reached, is too busy, or is a standby for the moment
 * (25006).
 */
const UNREACHABLE =
  /^(25006|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|CONNECTION_|08|53|57P0|57014|55P03|40)/

/** An error of PostgreSQL, of the driver or of the operating system. */
export interface DatabaseError extends Error {
  code: string
  constraint_name?: string
  /** What the operating system was asked to do. */
  syscall?: string
}

/** The server's disk is full. */
const FULL = '53100'

/** The driver's error behind `error`; undefined if it has no code, so that it did not come from the database. */
export function databaseError(error: unknown): DatabaseError | undefined {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? (cause as DatabaseError)
    : undefined
}

export function violates(error: unknown, constraint: string): boolean {
  return databaseError(error)?.constraint_name === constraint
}

/** The failure that the client gets; undefined if the error is a bug of this service. */
export function translateDatabaseError(error: unknown): AppError | undefined {
  const { code, constraint_name } = databaseError(error) ?? {}
  if (code === undefined) return undefined
  const conflict = constraint_name === undefined ? undefined : CONSTRAINTS[constraint_name]
  if (conflict) return new AppError(conflict, { cause: error })
  // What the request is about was there when it was looked at, and was deleted before this was stored.
  if (code === MISSING_REFERENCE) return new AppError('not_found', { cause: error })
  if (BAD_DATA.has(code)) return new AppError('validation_failed', { cause: error })
  if (code === FULL) return noRoom('The database has no room left', error)
  if (isUnreachable(databaseError(error))) return busy(error)
  return undefined
}

/** Whether the database can't be reached or is too busy; a later try may succeed. */
function isUnreachable({ code = '', syscall }: Partial<DatabaseError> = {}): boolean {
  // A server that has stopped leaves no socket in the file system; another missing file is a bug.
  return UNREACHABLE.test(code) || (code === 'ENOENT' && syscall === 'connect')
}

/** The code with which PgBouncer refuses a setting. */
export const REFUSED = '08P01'

/**
 * Whether connecting again is of no use: the server says no, as to a wrong password, or isn't the one that is meant.
 */
export function isRefusal(error: unknown): boolean {
  const known = databaseError(error)
  return known?.code === REFUSED || !isUnreachable(known)
}
