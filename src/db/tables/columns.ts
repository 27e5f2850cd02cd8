import { customType, integer, timestamp } from 'drizzle-orm/pg-core'

export const id = () => integer().primaryKey().generatedByDefaultAsIdentity()

/** With milliseconds, as in answers, so that a timestamp comes back from a client unchanged. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' })
export const createdAt = () => instant().notNull().defaultNow()
export const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })
