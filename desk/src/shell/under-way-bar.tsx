import { useStore } from '@nanostores/preact'
import { useEffect } from 'preact/hooks'
import { Countdown } from '../components/countdown.tsx'
import { $router } from '../router.ts'
import { serverNow } from '../server-time.ts'
import { t } from '../texts.ts'
import { $underWay, lookForUnderWay } from '../under-way.ts'

/** How long after its end the service has closed an attempt (docs/protocol/exams.md#the-end). */
const CLOSED_MS = 31_000
const LOOK_AGAIN_MS = 10_000
/** Timers can't wait much longer than three weeks. */
const LONGEST_MS = 24 * 3_600_000

/** On every other page: an exam is under way, and how long it still is. */
export function UnderWayBar() {
  const page = useStore($router)
  const exams = useStore($underWay).filter(
    ({ examId }) => page?.path !== `/desk/exams/${examId}` && page?.path !== `/exam/${examId}`,
  )
  const ends = exams.flatMap(({ endsAt }) => (endsAt ? [Date.parse(endsAt)] : []))
  const first = Math.min(...ends)
  useEffect(() => {
    if (first === Infinity) return
    const wait = Math.max(LOOK_AGAIN_MS, first + CLOSED_MS - serverNow())
    const timer = setInterval(() => void lookForUnderWay(), Math.min(wait, LONGEST_MS))
    return () => clearInterval(timer)
  }, [first])
  // Home has more of them, in its own place.
  if (exams.length === 0 || page?.route === 'home') return null
  return (
    <aside class="under-way" aria-label="Exams under way">
      {exams.map(({ examId, name, endsAt }) => (
        <p key={examId} class="row spread">
          <span>
            {endsAt
              ? t('<b>{name}</b> is under way: {clock} left', {
                  name,
                  b: (inner) => <strong>{inner}</strong>,
                  clock: <Countdown to={endsAt} />,
                })
              : t('<b>{name}</b> is under way', { name, b: (inner) => <strong>{inner}</strong> })}
          </span>
          <a class="button small" href={`/desk/exams/${examId}`}>
            Continue
          </a>
        </p>
      ))}
    </aside>
  )
}
