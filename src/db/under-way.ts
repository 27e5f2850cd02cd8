/**
 * The statuses of an attempt under way, in SQL: indexes have the same condition. `running` is what the previous version
 * leaves alone (src/db/tables/attempts.tables.ts).
 */
export const UNDER_WAY = "('active', 'running')"
