import { LRUCache } from 'lru-cache'
import { readInstant } from '../../schemas/time-formats.ts'

/** The few timestamps that are answered without a zone, in APP_TIMEZONE (docs/protocol/http.md#input). */

/** `2026-11-20T10:15:00.000` */
export function localIso(date: Date, timezone: string): string {
  return isoOf(date, timezone).slice(0, -1)
}

/** `2026-11-20 10:15:00` */
export function localDateTime(date: Date, timezone: string): string {
  return isoOf(date, timezone).slice(0, 19).replace('T', ' ')
}

/** `2026-11-20` */
export function localDay(date: Date, timezone: string): string {
  return isoOf(date, timezone).slice(0, 10)
}

export const DAY_MS = 24 * 3_600_000

/** The local days of instants in milliseconds, each as days since 1970-01-01. Made for many instants in order. */
export function localDays(timezone: string): (instant: number) => number {
  let day = Number.NaN
  let offsets: Offsets = [0, 0]
  return (instant) => {
    const today = Math.floor(instant / DAY_MS)
    if (today !== day) offsets = offsetsOn(today, timezone)
    day = today
    return Math.floor((instant + offsetAt(instant, timezone, offsets)) / DAY_MS)
  }
}

function isoOf(date: Date, timezone: string): string {
  return toLocal(date, timezone).toISOString()
}

/** The local time as if it were UTC. */
export function toLocal(date: Date, timezone: string): Date {
  const instant = date.getTime()
  return new Date(instant + offsetAt(instant, timezone))
}

/**
 * The instant of a local time that is given as if it were UTC. Of two, when clocks are set back, the first one that
 * isn't before `since`; a time that clocks skip is as far from the one before the change as it says.
 */
export function fromLocal(local: Date, timezone: string, since: Date): Date {
  const time = local.getTime()
  // Clocks change once within two days.
  const [before, after] = [-DAY_MS, DAY_MS].map((shift) => time - offsetAt(time + shift, timezone)) as [
    number,
    number,
  ]
  const shown = [before, after].filter((instant) => instant + offsetAt(instant, timezone) === time)
  return new Date(shown.find((instant) => instant >= since.getTime()) ?? shown[0] ?? before)
}

/** Milliseconds by which local clocks are ahead of UTC at both ends of a day (UTC). */
type Offsets = [first: number, last: number]
const offsetsOf = new Map<string, LRUCache<number, Offsets>>()
/** Days of each zone that are remembered. */
const REMEMBERED_DAYS = 2_000

/** The zone's rules are only asked at a new day: that takes longer than all the rest of a time's text. */
function offsetsOn(day: number, timezone: string): Offsets {
  const days = offsetsOf.get(timezone) ?? new LRUCache<number, Offsets>({ max: REMEMBERED_DAYS })
  offsetsOf.set(timezone, days)
  const known = days.get(day) ?? [askOffset(day * DAY_MS, timezone), askOffset((day + 1) * DAY_MS, timezone)]
  days.set(day, known)
  return known
}

/** Asks the zone's rules on a day on which clocks change. */
function offsetAt(
  instant: number,
  timezone: string,
  [first, last] = offsetsOn(Math.floor(instant / DAY_MS), timezone),
): number {
  return first === last ? first : askOffset(instant, timezone)
}

function askOffset(instant: number, timezone: string): number {
  const seconds = Math.floor(instant / 1_000) * 1_000
  const { year, month, day, hour, minute, second } = localParts(new Date(seconds), timezone)
  return Date.UTC(+year, +month - 1, +day, +hour, +minute, +second) - seconds
}

/** The instant in a text that its schema has checked (`GivenInstant`). */
export function instantOf(given: string): Date {
  const instant = readInstant(given)
  if (!instant) throw new Error('a point in time that no schema has checked')
  return instant
}

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, month)),
)

/** `15 January 2025 10:30 AM` */
export function localDisplay(date: Date, timezone: string): string {
  const local = toLocal(date, timezone)
  const hour = local.getUTCHours()
  const twelveHour = String(hour % 12 || 12).padStart(2, '0')
  const minute = String(local.getUTCMinutes()).padStart(2, '0')
  const day = `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]} ${local.getUTCFullYear()}`
  return `${day} ${twelveHour}:${minute} ${hour < 12 ? 'AM' : 'PM'}`
}

type DateTimePart = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'
const formats = new Map<string, Intl.DateTimeFormat>()

function localParts(date: Date, timezone: string): Record<DateTimePart, string> {
  let format = formats.get(timezone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(timezone, format)
  }
  return Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value])) as Record<
    DateTimePart,
    string
  >
}
