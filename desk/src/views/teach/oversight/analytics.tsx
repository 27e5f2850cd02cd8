import { useStore } from '@nanostores/preact'
import { ask, client } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Choice, Field } from '../../../components/forms/fields.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { download } from '../../../download.ts'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { ExamChoice } from '../exam-choice.tsx'
import { Dashboard } from './dashboard.tsx'

const PERIODS = [
  ['all', t('All time')],
  ['today', t('Today')],
  ['week', t('The last 7 days')],
  ['month', t('The last 30 days')],
  ['custom', t('From … to')],
] as const
type Period = (typeof PERIODS)[number][0]

const hrefOfExam = (name: string) => `/desk/teach/exams?${new URLSearchParams({ q: name })}`

const hrefOfDay = (exam: string | undefined) => (day: string) =>
  `/desk/teach/analytics?${new URLSearchParams({ period: 'custom', from: day, to: day, ...(exam ? { exam } : {}) })}`

/** Statistics of all exams: figures, curves and tables. */
export default function Analytics() {
  const { period = 'all', exam, from, to } = useStore($query)
  const isComplete = period !== 'custom' || (from && to)
  const query = {
    timePeriod: (isComplete ? period : 'all') as Period,
    ...(exam ? { exam: Number(exam) } : {}),
    ...(period === 'custom' && from && to ? { startDate: from, endDate: to } : {}),
  }
  const found = useLoad(JSON.stringify(query), () =>
    ask(client.GET('/api/v01/admin/analytics', { params: { query } })),
  )
  return (
    <Page
      title="Analytics"
      actions={
        <Action
          act={() =>
            download(
              client.GET('/api/v01/admin/analytics', {
                params: { query },
                headers: { accept: 'text/csv' },
                parseAs: 'blob',
              }),
              'results.csv',
            )
          }
        >
          Download all results (CSV)
        </Action>
      }
    >
      <div class="filters">
        <Choice
          label="When"
          value={period}
          options={PERIODS}
          onChange={({ currentTarget }) => setQuery({ period: currentTarget.value })}
        />
        {period === 'custom' && (
          <>
            <Field
              label="From"
              type="date"
              value={from}
              onChange={({ currentTarget }) => setQuery({ from: currentTarget.value })}
            />
            <Field
              label="To"
              type="date"
              value={to}
              onChange={({ currentTarget }) => setQuery({ to: currentTarget.value })}
            />
          </>
        )}
        <ExamChoice
          label="Exam"
          value={exam}
          all="All exams"
          onChange={({ currentTarget }) => setQuery({ exam: currentTarget.value })}
        />
      </div>
      <Loaded of={found}>
        {(answer) => <Dashboard of={answer} hrefs={{ day: hrefOfDay(exam), exam: hrefOfExam }} />}
      </Loaded>
    </Page>
  )
}
