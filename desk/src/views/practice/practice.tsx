import './practice.css'
import { type Answer, ask, client } from '../../client.ts'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { Stat } from '../../components/page/stat.tsx'
import { useLive } from '../../components/page/use-live.ts'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'
import { Forecast } from './forecast.tsx'
import { History } from './history.tsx'
import { describeNextDue, useWhenDue } from './next-due.ts'
import { PracticeSettings } from './practice-settings.tsx'

type Overview = Answer<'/api/v01/practice', 'get'>

/** Where somebody stands: what waits, what the next exam would bring, and what was done. */
export default function PracticeView() {
  const found = useLoad('practice', () => ask(client.GET('/api/v01/practice')))
  useLive(found.reload, ({ type }) => type === 'practice')
  return (
    <Page title="Practice" lead="Questions come back before you forget them.">
      <Loaded of={found}>
        {(overview) => (
          <>
            <Waiting overview={overview} reload={found.reload} />
            <dl class="figures">
              <Stat label="Learning" value={overview.learning} />
              <Stat label="Known" value={overview.known} />
              <Stat
                label="Correct today"
                value={t('{part} of {whole}', { part: overview.today.right, whole: overview.today.reviews })}
              />
              <Stat
                label="In a row"
                value={t('{count, plural, one {# day} other {# days}}', { count: overview.streak_days })}
              />
            </dl>
            <Forecast />
            <History today={overview.today.reviews} />
            <PracticeSettings
              key={JSON.stringify(overview.settings)}
              settings={overview.settings}
              reload={found.reload}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Waiting({ overview, reload }: { overview: Overview; reload: () => Promise<void> }) {
  const { due, new: fresh, next_due_at } = overview
  useWhenDue(next_due_at, reload)
  if (due + fresh > 0)
    return (
      <section class="sheet" aria-label="Today">
        <p class="practice-due">
          {t('{due, plural, other {<b>#</b> due}} · {fresh, plural, other {<b>#</b> new}}', {
            due,
            fresh,
            b: (inner) => <strong>{inner}</strong>,
          })}
        </p>
        <p>
          <a class="button main" href="/desk/practice/cards">
            Practise
          </a>
        </p>
      </section>
    )
  if (next_due_at)
    return (
      <Empty title="Nothing is due now">
        <p>{describeNextDue(next_due_at)}</p>
      </Empty>
    )
  return (
    <Empty title="Nothing to practise yet">
      <p>Questions come from your results, and from exams that are open for practice.</p>
      <a class="button" href="/desk/exams">
        To the exams
      </a>
    </Empty>
  )
}
