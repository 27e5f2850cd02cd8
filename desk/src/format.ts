import { serverNow } from './server-time.ts'
import { LOCALE, t } from './texts.ts'

const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const MOMENT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const TIME = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' })
const AS_GIVEN = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const LIST = new Intl.ListFormat(LOCALE, { type: 'unit', style: 'short' })

export function day(iso: string): string {
  return DAY.format(new Date(iso))
}

export function moment(iso: string): string {
  return MOMENT.format(new Date(iso))
}

export function isToday(iso: string): boolean {
  return new Date(iso).toDateString() === new Date().toDateString()
}

/** The time if it is today, else the day. */
export function lately(iso: string): string {
  return isToday(iso) ? clockTime(iso) : day(iso)
}

/** A full hour of any day. */
export function timeOfHour(hour: number): string {
  return TIME.format(new Date(2000, 0, 1, hour))
}

export function clockTime(iso: string): string {
  return TIME.format(new Date(iso))
}

export function describeMinutes(minutes: number | null): string {
  return minutes === null ? t('No time limit') : measure(minutes, 'minute')
}

/** How long an attempt took, from its start until it was handed in. */
export function timeTaken({
  started_at,
  submitted_at,
}: {
  started_at: string
  submitted_at: string
}): string {
  const seconds = Math.round((Date.parse(submitted_at) - Date.parse(started_at)) / 1_000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return measure(seconds, 'second')
  if (minutes < 60) return both(measure(minutes, 'minute'), seconds % 60, 'second')
  return both(measure(Math.floor(minutes / 60), 'hour'), minutes % 60, 'minute')
}

function both(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : list([whole, measure(rest, unit)])
}

interface Window {
  opens_at?: string | null
  closes_at?: string | null
}

/** Whether a window is open now, in words; undefined without a window. */
export function describeWindow({ opens_at, closes_at }: Window): string | undefined {
  const now = serverNow()
  if (opens_at && Date.parse(opens_at) > now) return t('Opens {time}', { time: moment(opens_at) })
  if (closes_at && Date.parse(closes_at) <= now) return t('Closed {time}', { time: moment(closes_at) })
  return closes_at ? t('Open until {time}', { time: moment(closes_at) }) : undefined
}

export function countdown(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const pad = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  return `${hours > 0 ? `${hours}:` : ''}${pad(Math.floor((seconds % 3_600) / 60))}:${pad(seconds % 60)}`
}

export function number(value: number | null | undefined, digits = 2): string {
  return value === null || value === undefined
    ? '–'
    : // A hyphen is shorter than a plus, and a line may break after it.
      value.toLocaleString(LOCALE, { maximumFractionDigits: digits }).replace('-', '−')
}

export function percent(value: number | null | undefined, digits?: number): string {
  return value === null || value === undefined ? '–' : `${number(value, digits)} %`
}

export function signed(value: number): string {
  return `${value > 0 ? '+' : value < 0 ? '−' : '±'}${number(Math.abs(value))}`
}

/** A size of a file, in the usual thousands. */
export function bytes(count: number): string {
  if (count < 1_000) return measure(count, 'byte', 'long')
  return count < 1_000_000 ? measure(count / 1_000, 'kilobyte') : measure(count / 1_000_000, 'megabyte')
}

function measure(value: number, unit: string, unitDisplay: 'short' | 'long' = 'short'): string {
  return value.toLocaleString(LOCALE, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 })
}

export function nameAndUsername(person: { full_name: string; username: string }): string {
  return t('{name} ({username})', { name: person.full_name, username: person.username })
}

/** Several things in a row, with the commas of the language. */
export function list(texts: Iterable<string>): string {
  return LIST.format(texts)
}

/**
 * A moment as some older operations give it: with an offset or `Z`, or as a local time of the service, whose hour stays
 * as it is, since nobody knows how far from the reader's it is.
 */
export function serviceTime(text: string): string {
  if (/(Z|[+-]\d\d:\d\d)$/.test(text)) return moment(text)
  const date = new Date(`${text} UTC`)
  return Number.isNaN(date.getTime()) ? text : AS_GIVEN.format(date)
}
