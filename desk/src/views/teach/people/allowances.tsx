import { useStore } from '@nanostores/preact'
import { type Answer, ask, client, toQuery } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Choice } from '../../../components/forms/fields.tsx'
import { ListSearch } from '../../../components/forms/search.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { SelectionBar } from '../../../components/page/selection-bar.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { useSelection } from '../../../components/page/use-selection.ts'
import { plural } from '../../../format.ts'
import { $query, setQuery } from '../../../router.ts'
import { ExamChoice } from '../exam-choice.tsx'

const keyOf = ({ student_id, exam_id }: Row) => `${student_id} ${exam_id}`

type Change = 'reset' | 'increase' | 'decrease'
type Row = Answer<'/api/v01/admin/attempts', 'get'>['rows'][number]

/** The attempts that each student has left at each exam. */
export default function Allowances() {
  const { q, exam, status, page } = useStore($query)
  const found = useLoad(`${q} ${exam} ${status} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/attempts', {
        params: {
          query: toQuery<'/api/v01/admin/attempts'>({ q, exam_id: exam, status, page }),
        },
      }),
    ),
  )
  const selection = useSelection<Row>(keyOf)
  const changeAll = (action: Change) => async () => {
    const items = selection.chosen.map(({ student_id, exam_id }) => ({ student_id, exam_id }))
    const { processed, errors } = await ask(
      client.POST('/api/v01/admin/attempts/bulk-modify', { body: { items, action } }),
    )
    selection.clear()
    await found.reload()
    return [`${plural(processed, 'allowance')} changed`, ...(errors ?? [])].join('; ')
  }
  const change = (row: Row, action: Change) => async () => {
    const body = { student_id: row.student_id, exam_id: row.exam_id, action }
    await ask(client.POST('/api/v01/admin/attempts/modify', { body }))
    await found.reload()
  }
  return (
    <Page title="Allowances" lead="Attempts that are used up, and giving some back.">
      <div class="filters">
        <ListSearch label="Search people" />
        <ExamChoice
          label="Exam"
          value={exam}
          all="All exams"
          onChange={({ currentTarget }) => setQuery({ exam: currentTarget.value, page: undefined })}
        />
        <Choice
          label="State"
          value={status}
          options={[
            ['', 'All'],
            ['available', 'Some left'],
            ['exhausted', 'Used up'],
            ['unlimited', 'Any number'],
          ]}
          onChange={({ currentTarget }) => setQuery({ status: currentTarget.value, page: undefined })}
        />
      </div>
      <Loaded of={found}>
        {(list) =>
          list.rows.length === 0 ? (
            <Empty title="Nothing here" />
          ) : (
            <>
              <SelectionBar count={selection.chosen.length} what="allowance" clear={selection.clear}>
                <Action
                  class="small"
                  confirm={`Remove the latest attempt with its result, ${plural(selection.chosen.length, 'time')}?`}
                  act={changeAll('decrease')}
                >
                  Give one attempt back
                </Action>
                <Action class="small" act={changeAll('increase')}>
                  Take one attempt away
                </Action>
                <Action
                  class="small bad"
                  confirm={`Remove all attempts of ${plural(selection.chosen.length, 'row')} with their results?`}
                  act={changeAll('reset')}
                >
                  Reset all
                </Action>
              </SelectionBar>
              <Table
                caption="Allowances"
                rows={list.rows}
                keyOf={keyOf}
                selection={{ ...selection, name: (row) => `${row.username}, ${row.exam_name}` }}
                columns={[
                  { head: 'Who', cell: (row) => row.username },
                  { head: 'Exam', cell: (row) => row.exam_name },
                  {
                    head: 'Used',
                    cell: (row) => `${row.attempts_used} of ${row.max_attempts}`,
                    isNumber: true,
                  },
                  { head: 'Left', cell: (row) => row.remaining, isNumber: true },
                  {
                    head: 'Change',
                    cell: (row) => (
                      <span class="row">
                        <Action
                          class="small"
                          aria-label={`Give one back: ${row.username}, ${row.exam_name}`}
                          confirm="Remove the latest attempt with its result?"
                          act={change(row, 'decrease')}
                        >
                          Give one back
                        </Action>
                        <Action
                          class="small"
                          aria-label={`Take one away: ${row.username}, ${row.exam_name}`}
                          act={change(row, 'increase')}
                        >
                          Take one away
                        </Action>
                        <Action
                          class="small bad"
                          aria-label={`Reset: ${row.username}, ${row.exam_name}`}
                          confirm="Remove all attempts with their results?"
                          act={change(row, 'reset')}
                        >
                          Reset
                        </Action>
                      </span>
                    ),
                  },
                ]}
              />
              <Pager of={list} what="rows" />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
