import type { Answer } from '../client.ts'
import { moment, nameAndUsername, percent } from '../format.ts'
import { t } from '../texts.ts'
import { type Column, Table } from './page/table.tsx'

export type StudentResult = Answer<'/api/v01/classes/{id}/results', 'get'>['results'][number]

interface ResultsTableProps {
  rows: StudentResult[]
  /** Where a student's attempt is reviewed. */
  hrefOf: (attemptId: number) => string
  /** What can be done about a student. */
  change?: Column<StudentResult>['cell']
}

/** How each student did at an exam, and who is taking it now. */
export function ResultsTable({ rows, hrefOf, change }: ResultsTableProps) {
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
        { head: t('Passed'), cell: (row) => (row.best ? (row.best.passed ? t('Yes') : t('No')) : '–') },
        { head: t('Attempts'), cell: (row) => row.attempts, isNumber: true },
        {
          head: t('Newest'),
          cell: ({ newest, full_name }) =>
            newest ? (
              <a href={hrefOf(newest.attempt_id)}>
                {percent(newest.percentage)}, {moment(newest.submitted_at)}
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
              <a href={hrefOf(active.attempt_id)}>
                {active.ends_at
                  ? t('{count, plural, one {# answer} other {# answers}}, until {time}', {
                      count: active.answered,
                      time: moment(active.ends_at),
                    })
                  : t('{count, plural, one {# answer} other {# answers}}', { count: active.answered })}
                <span class="unseen">, {full_name}</span>
              </a>
            ),
        },
        ...(change ? [{ head: t('Change'), cell: change }] : []),
      ]}
    />
  )
}
