import { useStore } from '@nanostores/preact'
import { type Answer, ask, client, toQuery } from '../../../client.ts'
import { OUTLIVING, sendSoon } from '../../../components/dialogs/toasts.tsx'
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
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'
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
    return [
      t('{count, plural, one {# allowance changed} other {# allowances changed}}', { count: processed }),
      ...(errors ?? []),
    ].join('; ')
  }
  const change = (row: Row, action: Change) => async () => {
    const body = { student_id: row.student_id, exam_id: row.exam_id, action }
    await ask(client.POST('/api/v01/admin/attempts/modify', { body, ...OUTLIVING }))
    await found.reload()
  }
  const takeAway = (row: Row) =>
    sendSoon(
      t('One attempt of {name} at {exam} taken away', { name: row.username, exam: row.exam_name }),
      change(row, 'increase'),
    )
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
            ['', t('All')],
            ['available', t('Some left')],
            ['exhausted', t('Used up')],
            ['unlimited', t('Any number')],
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
              <SelectionBar
                count={selection.chosen.length}
                label={t('{count, plural, one {# allowance selected} other {# allowances selected}}', {
                  count: selection.chosen.length,
                })}
                clear={selection.clear}
              >
                <Action
                  class="small bad"
                  confirm={t(
                    '{count, plural, one {Remove the latest attempt with its result, # time?} other {Remove the latest attempt with its result, # times?}}',
                    { count: selection.chosen.length },
                  )}
                  act={changeAll('decrease')}
                >
                  Give one attempt back
                </Action>
                <Action
                  class="small bad"
                  confirm={t(
                    '{count, plural, one {Take one attempt away in # row?} other {Take one attempt away in # rows?}}',
                    {
                      count: selection.chosen.length,
                    },
                  )}
                  act={changeAll('increase')}
                >
                  Take one attempt away
                </Action>
                <Action
                  class="small bad"
                  confirm={t(
                    '{count, plural, one {Remove all attempts of # row with their results?} other {Remove all attempts of # rows with their results?}}',
                    { count: selection.chosen.length },
                  )}
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
                  { head: t('Who'), cell: (row) => row.username },
                  { head: t('Exam'), cell: (row) => row.exam_name },
                  {
                    head: t('Used'),
                    cell: (row) =>
                      t('{part} of {whole}', { part: row.attempts_used, whole: row.max_attempts ?? '–' }),
                    isNumber: true,
                  },
                  { head: t('Left'), cell: (row) => row.remaining, isNumber: true },
                  {
                    head: t('Change'),
                    cell: (row) => (
                      <span class="row">
                        <Action
                          class="small bad"
                          aria-label={t('Give one back: {name}, {exam}', {
                            name: row.username,
                            exam: row.exam_name,
                          })}
                          confirm={t('Remove the latest attempt of {name} at {exam} with its result?', {
                            name: row.username,
                            exam: row.exam_name,
                          })}
                          act={change(row, 'decrease')}
                        >
                          Give one back
                        </Action>
                        <button
                          type="button"
                          class="small"
                          aria-label={t('Take one away: {name}, {exam}', {
                            name: row.username,
                            exam: row.exam_name,
                          })}
                          onClick={() => takeAway(row)}
                        >
                          Take one away
                        </button>
                        <Action
                          class="small bad"
                          aria-label={t('Reset: {name}, {exam}', { name: row.username, exam: row.exam_name })}
                          confirm={t('Remove all attempts of {name} at {exam} with their results?', {
                            name: row.username,
                            exam: row.exam_name,
                          })}
                          act={change(row, 'reset')}
                        >
                          Reset
                        </Action>
                      </span>
                    ),
                  },
                ]}
              />
              <Pager
                of={list}
                total={t('{count, plural, one {# row} other {# rows}}', { count: list.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
