import type { Answer } from '../client.ts'
import { moment, number, plural } from '../format.ts'
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
        { head: 'Student', cell: (row) => `${row.full_name} (${row.username})` },
        {
          head: 'Best',
          cell: (row) => (row.best ? `${number(row.best.percentage)} %` : '–'),
          isNumber: true,
        },
        { head: 'Passed', cell: (row) => (row.best ? (row.best.passed ? 'Yes' : 'No') : '–') },
        { head: 'Attempts', cell: (row) => row.attempts, isNumber: true },
        {
          head: 'Newest',
          cell: ({ newest, full_name }) =>
            newest ? (
              <a href={hrefOf(newest.attempt_id)}>
                {number(newest.percentage)} %, {moment(newest.submitted_at)}
                <span class="unseen">, {full_name}</span>
              </a>
            ) : (
              '–'
            ),
        },
        {
          head: 'Now',
          cell: ({ active, full_name }) =>
            active && (
              <a href={hrefOf(active.attempt_id)}>
                {plural(active.answered, 'answer')}
                {active.ends_at && `, until ${moment(active.ends_at)}`}
                <span class="unseen">, {full_name}</span>
              </a>
            ),
        },
        ...(change ? [{ head: 'Change', cell: change }] : []),
      ]}
    />
  )
}
