import { useStore } from '@nanostores/preact'
import { type Answer, ask, client } from '../client.ts'
import { LineChart } from '../components/charts/chart.tsx'
import { Empty, Loaded } from '../components/page/load-states.tsx'
import { Page } from '../components/page/page.tsx'
import { Pager } from '../components/page/pager.tsx'
import { Stat } from '../components/page/stat.tsx'
import { Table } from '../components/page/table.tsx'
import { useLoad } from '../components/page/use-load.ts'
import { day, number, percent } from '../format.ts'
import { $query } from '../router.ts'
import { t } from '../texts.ts'

type ListedAttempt = Answer<'/api/v01/attempts', 'get'>['attempts'][number]

/** The person's finished attempts and their results. */
export default function Progress() {
  const { page } = useStore($query)
  const found = useLoad(page, () =>
    ask(client.GET('/api/v01/attempts', { params: { query: page ? { page: Number(page) } : {} } })),
  )
  return (
    <Page title="Progress" lead="Your finished attempts, the latest first.">
      <Loaded of={found}>
        {(history) =>
          history.attempts.length === 0 ? (
            <Empty title="Nothing finished yet">
              <a class="button main" href="/desk/exams">
                Choose an exam
              </a>
            </Empty>
          ) : (
            <>
              <Overview attempts={history.attempts} total={history.total} />
              <Table
                caption="Attempts"
                rows={history.attempts}
                keyOf={(row) => row.attempt_id}
                columns={[
                  {
                    head: t('Exam'),
                    cell: (row) => <a href={`/desk/exams/${row.exam_id}`}>{row.exam_name}</a>,
                  },
                  { head: t('Handed in'), cell: (row) => day(row.submitted_at) },
                  {
                    head: t('Score'),
                    cell: (row) =>
                      row.score === null
                        ? '–'
                        : t('{part} of {whole}', { part: number(row.score), whole: number(row.max_score) }),
                    isNumber: true,
                  },
                  {
                    head: t('Percent'),
                    cell: (row) => percent(row.percentage),
                    isNumber: true,
                  },
                  {
                    head: t('Review'),
                    cell: (row) =>
                      row.score === null ? (
                        <span class="chip">Not released</span>
                      ) : (
                        <a
                          href={`/desk/results/${row.attempt_id}`}
                          aria-label={t('Review attempt {number} at {exam}', {
                            number: row.attempt_number,
                            exam: row.exam_name,
                          })}
                        >
                          Review
                        </a>
                      ),
                  },
                ]}
              />
              <Pager
                of={history}
                total={t('{count, plural, one {# attempt} other {# attempts}}', { count: history.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function Overview({ attempts, total }: { attempts: ListedAttempt[]; total: number }) {
  const graded = attempts.filter((each) => each.percentage !== null)
  const percentages = graded.map(({ percentage }) => percentage ?? 0)
  const mean =
    percentages.length > 0 ? percentages.reduce((sum, each) => sum + each, 0) / percentages.length : null
  return (
    <>
      <dl class="figures">
        <Stat label="Attempts" value={total} />
        <Stat label="On average, of those below" value={percent(mean)} />
        <Stat label="Best" value={percentages.length > 0 ? `${number(Math.max(...percentages))} %` : '–'} />
      </dl>
      <LineChart
        title="Percent, attempt by attempt"
        most={100}
        unit=" %"
        points={[...graded].reverse().map((each) => ({
          label: `${day(each.submitted_at)}, ${each.exam_name} (${each.attempt_number})`,
          value: each.percentage ?? 0,
          href: `/desk/results/${each.attempt_id}`,
        }))}
      />
    </>
  )
}
