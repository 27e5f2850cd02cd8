import { useStore } from '@nanostores/preact'
import { type Answer, ask, client } from '../../../client.ts'
import { LineChart } from '../../../components/charts/chart.tsx'
import { Choice } from '../../../components/forms/fields.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { day, number } from '../../../format.ts'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'

type Day = Answer<'/api/v01/admin/ai/usage', 'get'>['days'][number]

const PERIODS = [
  ['7', t('The last 7 days')],
  ['30', t('The last 30 days')],
  ['90', t('The last 90 days')],
] as const

function tokensOf({ input, cached, output }: { input: number; cached: number; output: number }): number {
  return input + cached + output
}

function allOf({ tutor, generation, checks }: Day): number {
  return tokensOf(tutor) + tokensOf(generation) + tokensOf(checks)
}

/** What the model was used for, by day, and what is left of today. */
export default function AiUsage() {
  const { days = '30' } = useStore($query)
  const found = useLoad(days, () =>
    ask(client.GET('/api/v01/admin/ai/usage', { params: { query: { days: Number(days) } } })),
  )
  return (
    <Page
      title="AI use"
      lead="Tokens that the model read and wrote, for the tutor and for generated questions."
      actions={
        <a class="button" href="/desk/teach/generate">
          Generate questions
        </a>
      }
    >
      <div class="filters">
        <Choice
          label="When"
          value={days}
          options={PERIODS}
          onChange={({ currentTarget }) => setQuery({ days: currentTarget.value })}
        />
      </div>
      <Loaded of={found}>
        {({ budget, spent_today: spent, days: used }) => (
          <>
            <section class="sheet" aria-label="Today">
              <p role="status">
                {budget === null
                  ? t('{spent} tokens today; a day has no limit', { spent: number(spent) })
                  : t('{spent} of {budget} tokens of today; {left} are left', {
                      spent: number(spent),
                      budget: number(budget),
                      left: number(Math.max(0, budget - spent)),
                    })}
              </p>
              {budget !== null && (
                <progress
                  class="meter"
                  max={budget}
                  value={Math.min(spent, budget)}
                  aria-label="Spent today"
                />
              )}
            </section>
            {used.length === 0 ? (
              <Empty title="Nothing was used in this time" />
            ) : (
              <>
                <LineChart
                  title="Tokens by day"
                  points={used
                    .toReversed()
                    .map((each) => ({ label: day(`${each.date}T12:00`), value: allOf(each) }))}
                />
                <Table
                  caption="By day"
                  rows={used}
                  keyOf={({ date }) => date}
                  columns={[
                    { head: t('Day'), cell: ({ date }) => day(`${date}T12:00`) },
                    {
                      head: t('Questions to the tutor'),
                      cell: ({ tutor }) => number(tutor.questions),
                      isNumber: true,
                    },
                    {
                      head: t('Tokens of the tutor'),
                      cell: ({ tutor }) => number(tokensOf(tutor)),
                      isNumber: true,
                    },
                    { head: t('Jobs'), cell: ({ generation }) => number(generation.jobs), isNumber: true },
                    {
                      head: t('Generated questions'),
                      cell: ({ generation }) => number(generation.questions),
                      isNumber: true,
                    },
                    {
                      head: t('Tokens of jobs'),
                      cell: ({ generation }) => number(tokensOf(generation)),
                      isNumber: true,
                    },
                    { head: t('Agreed'), cell: ({ checks }) => number(checks.agreed), isNumber: true },
                    { head: t('Disputed'), cell: ({ checks }) => number(checks.disputed), isNumber: true },
                    { head: t('Unchecked'), cell: ({ checks }) => number(checks.unchecked), isNumber: true },
                    {
                      head: t('Tokens of checks'),
                      cell: ({ checks }) => number(tokensOf(checks)),
                      isNumber: true,
                    },
                  ]}
                />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
