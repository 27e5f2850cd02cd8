import { useStore } from '@nanostores/preact'
import { ask, client } from '../../client.ts'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLive } from '../../components/page/use-live.ts'
import { useLoad } from '../../components/page/use-load.ts'
import { $isHelpLocked } from '../../help-lock.ts'
import { t } from '../../texts.ts'

/** What waits to be practised, on the page where somebody arrives. */
export function PracticeDue() {
  return useStore($isHelpLocked) ? null : <Due />
}

function Due() {
  const found = useLoad('practice', () => ask(client.GET('/api/v01/practice')))
  useLive(found.reload, ({ type }) => type === 'practice')
  return (
    <section class="sheet" aria-labelledby="practice">
      <h2 id="practice">Practice</h2>
      <Loaded of={found}>
        {({ due, new: fresh }) =>
          due + fresh > 0 ? (
            <p class="row spread">
              <span>{t('{due, plural, other {# due}}, {fresh, plural, other {# new}}', { due, fresh })}</span>
              <a class="button" href="/desk/practice/cards">
                Practise
              </a>
            </p>
          ) : (
            <p class="lead">Nothing is due now.</p>
          )
        }
      </Loaded>
      <a href="/desk/practice">Forecast and calendar</a>
    </section>
  )
}
