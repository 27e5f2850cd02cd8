import { Format } from 'typebox/format'

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** Years of five digits are written in a way that PostgreSQL doesn't read; a zone can lead into one. */
const YEAR_10000 = Date.UTC(10_000)

/** Reads ISO 8601, also without seconds, time or zone; without a zone it is UTC. undefined for anything else. */
export function readInstant(given: string): Date | undefined {
  const found = INSTANT.exec(given.trim())
  if (!found) return undefined
  const [text, zone] = found
  if (!isDay(text.slice(0, 10))) return undefined
  const instant = new Date(text.replace(' ', 'T') + (zone || text.length === 10 ? '' : 'Z'))
  return instant.getTime() >= 0 && instant.getTime() < YEAR_10000 ? instant : undefined
}

/** Whether `2026-11-20` is in the calendar: Date reads the 31st of April as the 1st of May. */
function isDay(text: string): boolean {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
}

export function isTimezone(name: string): boolean {
  // PostgreSQL reads some other names differently, such as the sign of an offset, or not at all, such as IST.
  if (!/^(utc|gmt|[a-z]+[/].+)$/i.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Checked by the service; other programs need not know them. */
Format.Set('instant', (text) => readInstant(text) !== undefined)
Format.Set('day', isDay)
Format.Set('time-zone', isTimezone)
