import { useEffect } from 'preact/hooks'
import type { Answer } from '../client.ts'
import { moment, nameAndUsername, percent } from '../format.ts'
import { t } from '../texts.ts'
import { Countdown } from './countdown.tsx'
import { type Column, Table } from './page/table.tsx'

export type StudentResult = Answer<'/api/v01/classes/{id}/results', 'get'>['results'][number]

interface ResultsTableProps {
  rows: StudentResult[]
  /** Called again and again while somebody takes the exam. */
  reload: () => Promise<void>
  /** Where a student's attempt is reviewed. */
  hrefOf: (attemptId: number) => string
  /** What can be done about a student. */
  change?: Column<StudentResult>['cell']
}

const REFRESH_MS = 30_000

/** How each student did at an exam, and who is taking it now. */
export function ResultsTable({ rows, reload, hrefOf, change }: ResultsTableProps) {
  const isUnderWay = rows.some(({ active }) => active)
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [isUnderWay, reload])
  return (
    <Table
      caption="Results"
      rows={rows}
      keyOf={(row) => row.user_id}
      columns={[
        { head: t('Student'), cell: (row) => nameAndUsername(row) },
        {
          head: t('Best'),
          cell: (row) => (row.best ? percent(row.best.percentage) : '–'),
          isNumber: true,
        },
        {
          head: t('Passed'),
          cell: ({ best }) => (best?.passed == null ? '–' : best.passed ? t('Yes') : t('No')),
        },
        { head: t('Attempts'), cell: (row) => row.attempts, isNumber: true },
        {
          head: t('Newest'),
          cell: ({ newest, full_name }) =>
            newest ? (
              <a href={hrefOf(newest.attempt_id)}>
                {newest.score === null ? t('Handed in') : percent(newest.percentage)},{' '}
                {moment(newest.submitted_at)}
                <span class="unseen">, {full_name}</span>
              </a>
            ) : (
              '–'
            ),
        },
        {
          head: t('Now'),
          cell: ({ active, full_name }) =>
            active && (
              <span>
                <a href={hrefOf(active.attempt_id)}>
                  {t('{count, plural, one {# answer} other {# answers}}', { count: active.answered })}
                  <span class="unseen">, {full_name}</span>
                </a>
                {active.ends_at && <> · {t('{clock} left', { clock: <Countdown to={active.ends_at} /> })}</>}
              </span>
            ),
        },
        ...(change ? [{ head: t('Change'), cell: change }] : []),
      ]}
    />
  )
}
