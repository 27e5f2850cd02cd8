import { sql } from 'drizzle-orm'

/** The midnight this many days after the last one, by `now` and `timezone`. */
export function midnight(now: Date, timezone: string, days: number) {
  const today = sql`date_trunc('day', ${now.toISOString()}::timestamptz at time zone ${timezone})`
  return sql`((${today} + make_interval(days => ${days})) at time zone ${timezone})`
}
