import type { User } from '@exam-practice/client'
import { useStore } from '@nanostores/preact'
import { useEffect } from 'preact/hooks'
import { t } from '../../texts.ts'
import { $waiting, lookForWaiting } from '../../waiting.ts'

/** What waits for a teacher. */
export function Waiting({ user }: { user: User }) {
  const waiting = useStore($waiting)
  useEffect(() => {
    void lookForWaiting(user, true).catch(() => {})
  }, [user])
  const count = (path: string) => waiting[path] ?? 0
  const lines = [
    [
      '/desk/teach/requests',
      t('{count, plural, one {# access request} other {# access requests}}', {
        count: count('/desk/teach/requests'),
      }),
    ],
    [
      '/desk/teach/challenges',
      t('{count, plural, one {# open challenge} other {# open challenges}}', {
        count: count('/desk/teach/challenges'),
      }),
    ],
    [
      '/desk/teach/reports',
      t('{count, plural, one {# report} other {# reports}}', { count: count('/desk/teach/reports') }),
    ],
  ] as const
  const open = lines.filter(([path]) => count(path) > 0)
  return (
    <section class="sheet" aria-labelledby="waiting">
      <h2 id="waiting">Waiting for you</h2>
      {open.length === 0 ? (
        <p class="lead">Nothing.</p>
      ) : (
        <ul class="list">
          {open.map(([path, text]) => (
            <li key={path}>
              <a href={path}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
