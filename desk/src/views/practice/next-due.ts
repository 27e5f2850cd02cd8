import { useEffect } from 'preact/hooks'
import { clockTime, isToday, moment } from '../../format.ts'
import { serverNow } from '../../server-time.ts'
import { t } from '../../texts.ts'

const DAY_MS = 86_400_000

/** Calls `act` once something is due; not for what is due in days. Answers how long that still is. */
export function useWhenDue(dueAt: string | null | undefined, act: () => Promise<unknown>): number {
  const ms = dueAt ? Date.parse(dueAt) - serverNow() : 0
  useEffect(() => {
    if (ms <= 0 || ms > DAY_MS) return
    const timer = setTimeout(() => void act().catch(() => undefined), ms)
    return () => clearTimeout(timer)
  }, [dueAt])
  return ms
}

export function describeNextDue(dueAt: string): string {
  return isToday(dueAt)
    ? t('The next question comes back at {time}.', { time: clockTime(dueAt) })
    : t('The next question comes back {time}.', { time: moment(dueAt) })
}
