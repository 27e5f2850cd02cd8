import { useEffect, useState } from 'preact/hooks'
import { countdown } from '../format.ts'
import { serverNow } from '../server-time.ts'

/** The time until a moment, by the service's clock. */
export function Countdown({ to }: { to: string }) {
  const [now, setNow] = useState(serverNow())
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return <span role="timer">{countdown(Math.max(0, Date.parse(to) - now))}</span>
}
