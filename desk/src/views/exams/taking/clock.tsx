import type { ExamSession } from '@exam-practice/client/exam'
import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { describeLeft } from '../../../components/countdown.tsx'
import { showToast } from '../../../components/dialogs/toasts.tsx'
import { t } from '../../../texts.ts'

/** Remaining minutes at which everybody is told the time. */
const TOLD_MINUTES = [5, 1]

/** The remaining time by the service's clock. */
export function Clock({ session }: { session: ExamSession }) {
  const { endsAt } = useStore(session.$state)
  const [left, setLeft] = useState(session.remaining())
  useEffect(() => {
    let previous = session.remaining()
    setLeft(previous)
    const timer = setInterval(() => {
      const now = session.remaining()
      setLeft(now)
      const isToldNow = TOLD_MINUTES.some(
        (minutes) =>
          previous != null && now != null && previous > minutes * 60_000 && now <= minutes * 60_000,
      )
      // A device that has slept may be far beyond it.
      const minutes = Math.ceil((now ?? 0) / 60_000)
      if (isToldNow && minutes > 0)
        showToast(t('{count, plural, one {# minute} other {# minutes}} left', { count: minutes }))
      previous = now
    }, 500)
    return () => clearInterval(timer)
  }, [session, endsAt])
  if (left === null) return <p class="clock">No time limit</p>
  return (
    <p class={`clock ${(left ?? 0) < 5 * 60_000 ? 'short' : ''}`}>
      <span class="unseen">Time left: </span>
      <span role="timer">{describeLeft(left)}</span>
    </p>
  )
}
