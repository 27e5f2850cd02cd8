import { useEffect, useState } from 'preact/hooks'
import { client } from '../client.ts'
import { countdown } from '../format.ts'
import { t } from '../texts.ts'

/** The time until a moment, by the service's clock. */
export function Countdown({ to }: { to: string }) {
  const read = () => client.clock.until(Date.parse(to))
  const [left, setLeft] = useState(read())
  useEffect(() => {
    setLeft(read())
    const timer = setInterval(() => setLeft(read()), 1_000)
    return () => clearInterval(timer)
  }, [to])
  return <span role="timer">{describeLeft(left)}</span>
}

/** undefined: it may be over, which only the service knows. */
export function describeLeft(left: number | undefined): string {
  return left === undefined ? t('Asking for the time…') : countdown(left)
}
