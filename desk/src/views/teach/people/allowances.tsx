import { useStore } from '@nanostores/preact'
import { type Answer, ask, client, toQuery } from '../../../client.ts'
import { promptForName } from '../../../components/dialogs/prompts.tsx'
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
import { list } from '../../../format.ts'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { ExamChoice } from '../exam-choice.tsx'

const keyOf = ({ student_id, exam_id }: Row) => `${student_id} ${exam_id}`

/** Names that are shown of a selection. */
const MOST_NAMES = 10

function namesOf(rows: readonly Row[]): string {
  const names = rows.slice(0, MOST_NAMES).map((row) => `${row.username} (${row.exam_name})`)
  return list(rows.length > MOST_NAMES ? [...names, '…'] : names)
}

type AllowanceAction = 'reset' | 'increase' | 'decrease'
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
  const changeAll = (action: AllowanceAction) => async () => {
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
  const change = (row: Row, action: AllowanceAction) => async () => {
    const body = { student_id: row.student_id, exam_id: row.exam_id, action }
    await ask(client.POST('/api/v01/admin/attempts/modify', { body, ...OUTLIVING }))
    await found.reload()
  }
  const deleteAttempts = (row: Row, action: AllowanceAction, question: string) => async () => {
    if (await promptForName(question, t('Delete'), row.username)) await change(row, action)()
  }
  const takeAway = (row: Row) =>
    sendSoon(
      t('One attempt of {name} at {exam} taken away', { name: row.username, exam: row.exam_name }),
      change(row, 'increase'),
    )
  return (
    <Page title="Allowances" lead="Attempts that are used up. Deleting one gives it back.">
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
        {(found) =>
          found.rows.length === 0 ? (
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
                    'Delete the latest attempt of each of these with its answers and its result, for good? {names}',
                    { names: namesOf(selection.chosen) },
                  )}
                  act={changeAll('decrease')}
                >
                  Delete the latest attempts
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
                    'Delete all attempts of these with their answers and results, for good? {names}',
                    { names: namesOf(selection.chosen) },
                  )}
                  act={changeAll('reset')}
                >
                  Delete all attempts
                </Action>
              </SelectionBar>
              <Table
                caption="Allowances"
                rows={found.rows}
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
                          aria-label={t('Delete the latest attempt: {name}, {exam}', {
                            name: row.username,
                            exam: row.exam_name,
                          })}
                          act={deleteAttempts(
                            row,
                            'decrease',
                            t(
                              'Delete the latest attempt of {name} at {exam} with its answers and its result, for good? They can take the exam once more then.',
                              { name: row.username, exam: row.exam_name },
                            ),
                          )}
                        >
                          Delete the latest attempt
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
                          aria-label={t('Delete all attempts: {name}, {exam}', {
                            name: row.username,
                            exam: row.exam_name,
                          })}
                          act={deleteAttempts(
                            row,
                            'reset',
                            t(
                              'Delete all attempts of {name} at {exam} with their answers and results, for good?',
                              { name: row.username, exam: row.exam_name },
                            ),
                          )}
                        >
                          Delete all attempts
                        </Action>
                      </span>
                    ),
                  },
                ]}
              />
              <Pager
                of={found}
                total={t('{count, plural, one {# row} other {# rows}}', { count: found.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
