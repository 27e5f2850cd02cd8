import type { AnalyticsQuery } from '../../../schemas/analytics.schemas.ts'
import { invalidField, invalidFields } from '../../errors.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import type { Period } from './analytics.store.ts'

const LENGTHS = { today: 1, week: 7, month: 30 }

/** The days that a query asks for; undefined for all time. 400 for `custom` without two real days in order. */
export function readPeriod(query: AnalyticsQuery, today: string): Period | undefined {
  const { timePeriod = 'all', startDate, endDate } = query
  if (timePeriod === 'all') return undefined
  if (timePeriod !== 'custom') return { from: shiftDay(today, 1 - LENGTHS[timePeriod]), to: today }
  if (startDate === undefined || endDate === undefined) {
    const missing = Object.entries({ startDate, endDate }).filter(([, day]) => day === undefined)
    throw invalidFields(
      missing.map(([name]) => ({ path: `/${name}`, message: 'is required with timePeriod custom' })),
    )
  }
  if (startDate > endDate) throw invalidField('/endDate', 'is before startDate')
  return { from: startDate, to: endDate }
}

/** The period of the same length just before. */
export function precedingPeriod({ from, to }: Period): Period {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return { from: shiftDay(from, -days), to: shiftDay(from, -1) }
}

export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}
