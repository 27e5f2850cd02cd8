import { useState } from 'preact/hooks'
import { type Answer, ask, client, readAllPages } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Choice, Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { moment, number, plural, signed } from '../../../format.ts'
import type { TabProps } from './tab-props.ts'

type Regrade = Answer<'/api/v01/admin/exams/{exam_id}/regrades', 'get'>['regrades'][number]
type RegradeBody = ReturnType<typeof toBody>

const ACTIONS = [
  ['new_key', 'Grade with another key'],
  ['credit_all', 'Its marks for everybody'],
  ['drop', 'Leave it out of the score'],
] as const

/** Regrades: preview, apply and undo corrections of wrong grading. */
export function Corrections({ exam }: TabProps) {
  const path = { params: { path: { exam_id: exam.id } } }
  const [preview, setPreview] = useState<{ regrade: Regrade; body: RegradeBody }>()
  const found = useLoad(exam.id, async () => {
    const { regrades } = await ask(client.GET('/api/v01/admin/exams/{exam_id}/regrades', path))
    const pages = await readAllPages((page) =>
      ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: exam.id, page } } })),
    )
    return { regrades, questions: pages.flatMap(({ questions }) => questions) }
  })
  const regrade = (body: RegradeBody, isPreview: boolean) =>
    ask(
      client.POST('/api/v01/admin/exams/{exam_id}/regrades', {
        ...path,
        body: { ...body, preview: isPreview },
      }),
    )
  return (
    <Loaded of={found}>
      {({ regrades, questions }) => (
        <>
          <section class="sheet" aria-labelledby="correct">
            <h2 id="correct">Correct a question</h2>
            <Form
              button="Show what would change"
              send={async (fields) => {
                const body = toBody(fields as Record<string, string>)
                setPreview({ ...(await regrade(body, true)), body })
              }}
            >
              <div class="fields">
                <Choice
                  label="Question"
                  name="question_id"
                  options={questions.map(
                    (each, index) =>
                      [each.id, `${index + 1}. ${each.question_text.slice(0, 60) || 'an image'}`] as const,
                  )}
                />
                <Choice label="What to do" name="action" options={ACTIONS} />
                <Field label="New key" name="correct_answer" hint="For another key: B, or A,C, or a number" />
              </div>
            </Form>
            {preview && (
              <div class="stack tight" role="status">
                <p class="notice">{describeEffect(preview.regrade)}</p>
                <Changes regrade={preview.regrade} />
                <div class="row">
                  <Action
                    class="main"
                    act={async () => {
                      await regrade(preview.body, false)
                      setPreview(undefined)
                      await found.reload()
                      return 'Corrected. Students whose result changed are told.'
                    }}
                  >
                    Do it
                  </Action>
                  <button type="button" onClick={() => setPreview(undefined)}>
                    Don’t
                  </button>
                </div>
              </div>
            )}
          </section>
          <section class="sheet" aria-labelledby="done">
            <h2 id="done">So far</h2>
            {regrades.length === 0 && <p class="lead">Nothing was corrected.</p>}
            <ul class="list">
              {regrades.map((each) => (
                <li key={each.id} class="stack tight">
                  <p class="row spread">
                    <span>
                      <strong>{ACTIONS.find(([key]) => key === each.action)?.[1]}</strong> (question{' '}
                      {each.question_id}) · {each.created_by}, {moment(each.created_at)}
                    </span>
                    {each.undone_at ? (
                      <span class="chip">Undone {moment(each.undone_at)}</span>
                    ) : (
                      <Action
                        class="small"
                        act={async () => {
                          await ask(
                            client.POST('/api/v01/admin/regrades/{id}/undo', {
                              params: { path: { id: each.id ?? 0 } },
                            }),
                          )
                          await found.reload()
                          return 'Undone'
                        }}
                      >
                        Undo
                      </Action>
                    )}
                  </p>
                  {each.changes.length > 0 ? (
                    <details>
                      <summary>{describeEffect(each)}</summary>
                      <Changes regrade={each} />
                    </details>
                  ) : (
                    <p>{describeEffect(each)}</p>
                  )}
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
    </Loaded>
  )
}

function toBody(fields: Record<string, string>) {
  return {
    question_id: Number(fields.question_id),
    action: fields.action as Regrade['action'],
    ...(fields.action === 'new_key' ? { correct_answer: fields.correct_answer ?? '' } : {}),
  }
}

/** The effect of a regrade in one sentence. */
function describeEffect({ attempts, raised, lowered, unchanged }: Regrade): string {
  return `Of ${plural(attempts, 'attempt')} ${raised} higher, ${lowered} lower, ${unchanged} as before.`
}

function Changes({ regrade }: { regrade: Regrade }) {
  if (regrade.changes.length === 0) return null
  return (
    <Table
      caption="Changed scores"
      rows={regrade.changes}
      keyOf={(row) => row.attempt_id}
      columns={[
        { head: 'Who', cell: (row) => row.username },
        {
          head: 'Before',
          cell: (row) => `${number(row.old_score)} of ${number(row.old_max_score)}`,
          isNumber: true,
        },
        {
          head: 'After',
          cell: (row) => `${number(row.new_score)} of ${number(row.new_max_score)}`,
          isNumber: true,
        },
        {
          head: 'Change',
          cell: ({ new_score, old_score }) => signed((new_score ?? 0) - (old_score ?? 0)),
          isNumber: true,
        },
      ]}
    />
  )
}
