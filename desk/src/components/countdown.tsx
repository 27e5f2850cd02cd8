import { useEffect, useState } from 'preact/hooks'
import { countdown } from '../format.ts'

/** The time until a moment, by this device's clock: the exam itself goes by the service's. */
export function Countdown({ to }: { to: string }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return <span role="timer">{countdown(Math.max(0, Date.parse(to) - now))}</span>
}
