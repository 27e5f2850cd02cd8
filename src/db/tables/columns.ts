import { integer, timestamp } from 'drizzle-orm/pg-core'

export const id = () => integer().primaryKey().generatedByDefaultAsIdentity()

/** Milliseconds, as the wire shows them, so that a timestamp survives the round trip through a client. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })
export const createdAt = () => instant().notNull().defaultNow()
