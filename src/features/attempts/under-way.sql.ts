/**
 * The statuses of an attempt under way, in SQL: indexes have the same condition. `running` is what the previous version
 * leaves alone (src/db/tables/attempts.tables.ts).
 */
export const UNDER_WAY = "('active', 'running')"

/**
 * A timed attempt accepts syncs for this long after its end, so that those on their way still count
 * (docs/protocol/exams.md#the-end).
 */
export const GRACE_MS = 30_000
