import { useStore } from '@nanostores/preact'
import { useEffect } from 'preact/hooks'
import { plural } from '../../format.ts'
import { $waiting, lookForWaiting } from '../../waiting.ts'

/** What waits for a teacher. */
export function Waiting() {
  const waiting = useStore($waiting)
  useEffect(() => {
    void lookForWaiting(true).catch(() => {})
  }, [])
  const lines = [
    ['/desk/teach/requests', 'access request'],
    ['/desk/teach/challenges', 'open challenge'],
    ['/desk/teach/reports', 'report'],
  ] as const
  const open = lines.filter(([path]) => (waiting[path] ?? 0) > 0)
  return (
    <section class="sheet" aria-labelledby="waiting">
      <h2 id="waiting">Waiting for you</h2>
      {open.length === 0 && <p class="lead">Nothing.</p>}
      <ul class="list">
        {open.map(([path, what]) => (
          <li key={path}>
            <a href={path}>{plural(waiting[path] ?? 0, what)}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}
