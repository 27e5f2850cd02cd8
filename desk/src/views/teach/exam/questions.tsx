import { useStore } from '@nanostores/preact'
import { type Answer, ask, client, toQuery } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Choice, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { SelectionBar } from '../../../components/page/selection-bar.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { useSelection } from '../../../components/page/use-selection.ts'
import { RichText } from '../../../components/rich-text.tsx'
import { plural } from '../../../format.ts'
import { $query } from '../../../router.ts'
import type { TabProps } from './tab-props.ts'

type Question = Answer<'/api/v01/admin/questions', 'get'>['questions'][number]

/** The questions of an exam: open, add, set marks, delete. */
export function Questions({ exam }: TabProps) {
  const { page } = useStore($query)
  const found = useLoad(`${exam.id} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/questions', {
        params: { query: toQuery<'/api/v01/admin/questions'>({ exam_id: exam.id, page }) },
      }),
    ),
  )
  const selection = useSelection<Question>(({ id }) => id)
  return (
    <section class="stack">
      <div class="row">
        <a class="button main" href={`/desk/teach/questions/${exam.id}/new`}>
          Add a question
        </a>
        <a class="button" href={`/desk/teach/generate?exam=${exam.id}`}>
          Generate some
        </a>
      </div>
      <SelectionBar count={selection.chosen.length} what="question" clear={selection.clear}>
        <Action
          class="small bad"
          confirm={`Delete ${plural(selection.chosen.length, 'question')}?`}
          act={async () => {
            const ids = selection.chosen.map(({ id }) => id)
            const { deleted } = await ask(
              client.POST('/api/v01/admin/questions/bulk-delete', { body: { ids } }),
            )
            selection.clear()
            await found.reload()
            return `${plural(deleted, 'question')} deleted`
          }}
        >
          Delete
        </Action>
      </SelectionBar>
      <Loaded of={found}>
        {(list) =>
          list.questions.length === 0 ? (
            <Empty title="No questions yet">
              <p>Add one, import a file, or let some be written.</p>
            </Empty>
          ) : (
            <>
              <ol class="list sheet leading">
                {list.questions.map((question) => (
                  <li key={question.id} class="row">
                    <input
                      type="checkbox"
                      aria-label={`Choose question ${question.id}`}
                      checked={selection.has(question)}
                      onChange={({ currentTarget }) => selection.choose([question], currentTarget.checked)}
                    />
                    <a class="grow clamp" href={`/desk/teach/questions/${exam.id}/${question.id}`}>
                      {question.question_text ? (
                        <RichText text={question.question_text} />
                      ) : (
                        'A question that is an image'
                      )}
                    </a>
                    <span class="chip">{question.question_type}</span>
                    {question.correct_answer === '' && <span class="chip warn">No key</span>}
                    <small>
                      +{question.positive_marks} / −{question.negative_marks}
                    </small>
                  </li>
                ))}
              </ol>
              <Pager of={list} what="questions" />
            </>
          )
        }
      </Loaded>
      <details class="sheet">
        <summary>Marks for all questions of a type</summary>
        <Form
          button="Set the marks"
          send={async ({ question_type, positive_marks, negative_marks }) => {
            const body = {
              exam_id: exam.id,
              question_type: String(question_type),
              positive_marks: Number(positive_marks),
              negative_marks: Number(negative_marks),
            }
            const { updated } = await ask(client.POST('/api/v01/admin/questions/bulk-marks', { body }))
            await found.reload()
            return `${plural(updated, 'question')} changed`
          }}
        >
          <div class="fields">
            <Choice
              label="Type"
              name="question_type"
              options={['MCQ', 'MSQ', 'NUMERIC'].map((type) => [type, type] as const)}
            />
            <NumberField
              label="For a right answer"
              name="positive_marks"
              allowsFractions
              value={4}
              required
            />
            <NumberField
              label="Off for a wrong one"
              name="negative_marks"
              allowsFractions
              value={1}
              required
            />
          </div>
        </Form>
      </details>
    </section>
  )
}
