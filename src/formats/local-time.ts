/** The few timestamps that are answered without a zone, in APP_TIMEZONE (docs/protocol/http.md#input). */

/** `2026-11-20T10:15:00.000` */
export function localIso(date: Date, timezone: string): string {
  const { year, month, day, hour, minute, second } = localParts(date, timezone)
  const milliseconds = String(date.getUTCMilliseconds()).padStart(3, '0')
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}`
}

/** `2026-11-20 10:15:00` */
export function localDateTime(date: Date, timezone: string): string {
  const { year, month, day, hour, minute, second } = localParts(date, timezone)
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}

/** `2026-11-20` */
export function localDay(date: Date, timezone: string): string {
  const { year, month, day } = localParts(date, timezone)
  return `${year}-${month}-${day}`
}

export const DAY_MS = 24 * 3_600_000

/**
 * The local days of instants in milliseconds, each as days since 1970-01-01. Made for many instants in order: the time
 * zone is only asked again on another day (UTC), and for each instant of a day on which clocks change.
 */
export function localDays(timezone: string): (instant: number) => number {
  let day = Number.NaN
  let [first, last] = [0, 0]
  return (instant) => {
    const today = Math.floor(instant / DAY_MS)
    if (today !== day) {
      day = today
      first = offsetAt(today * DAY_MS, timezone)
      last = offsetAt((today + 1) * DAY_MS, timezone)
    }
    const offset = first === last ? first : offsetAt(instant, timezone)
    return Math.floor((instant + offset) / DAY_MS)
  }
}

/** Milliseconds by which local clocks are ahead of UTC. */
function offsetAt(instant: number, timezone: string): number {
  const seconds = Math.floor(instant / 1_000) * 1_000
  const { year, month, day, hour, minute, second } = localParts(new Date(seconds), timezone)
  return Date.UTC(+year, +month - 1, +day, +hour, +minute, +second) - seconds
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** Reads ISO 8601, also without seconds, time or zone; without a zone it is UTC. undefined for anything else. */
export function readInstant(given: string): Date | undefined {
  const found = INSTANT.exec(given.trim())
  if (!found) return undefined
  const [text, zone] = found
  const instant = new Date(text.replace(' ', 'T') + (zone || text.length === 10 ? '' : 'Z'))
  return instant.getTime() >= 0 ? instant : undefined
}

const MONTHS = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })

/** `15 January 2025 10:30 AM` */
export function localDisplay(date: Date, timezone: string): string {
  const { year, month, day, hour, minute } = localParts(date, timezone)
  const monthName = MONTHS.format(Date.UTC(2000, Number(month) - 1))
  const twelveHour = String(Number(hour) % 12 || 12).padStart(2, '0')
  const half = Number(hour) < 12 ? 'AM' : 'PM'
  return `${Number(day)} ${monthName} ${year} ${twelveHour}:${minute} ${half}`
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'
const formats = new Map<string, Intl.DateTimeFormat>()

function localParts(date: Date, timezone: string): Record<Part, string> {
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
    Part,
    string
  >
}
