import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { type Answer, ask, client, readAllPages } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Choice } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { JsonField } from '../../../components/forms/json-field.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import type { QuestionContent } from '../../../components/questions/editor.ts'
import { editorOf } from '../../../components/questions/editors.ts'
import { QuestionSummary } from '../../../components/questions/question-summary.tsx'
import { plainSummaryOf } from '../../../components/rich-text/summary.ts'
import { dropDraft, readDraft } from '../../../drafts.ts'
import { moment, number, signed } from '../../../format.ts'
import { $query } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { contentOf } from '../questions/written-question.ts'
import type { ListedQuestion } from './paper-plan.ts'
import type { TabProps } from './tab-props.ts'

type Regrade = Answer<'/api/v01/admin/exams/{exam_id}/regrades', 'get'>['regrades'][number]
type RegradeBody = ReturnType<typeof toBody>

const ACTIONS = [
  ['new_key', t('Change the key')],
  ['credit_all', t('Give everybody full marks')],
  ['drop', t('Remove it from the score')],
] as const

/** Regrades: preview, apply and undo corrections of wrong grading. */
export function Corrections({ exam }: TabProps) {
  const path = { params: { path: { exam_id: exam.id } } }
  const { question: asked, action: askedAction } = useStore($query)
  const [preview, setPreview] = useState<{ regrade: Regrade; body: RegradeBody }>()
  /** How many were applied here: each one begins anew. */
  const [applied, setApplied] = useState(0)
  const draft = ['regrade', exam.id, asked, askedAction].filter(Boolean).join('-')
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
  const questions = found.data?.questions
  // A link from a changed key leads to the preview of a regrade by the key that the question has now.
  useEffect(() => {
    const question = questions?.find(({ id }) => id === Number(asked))
    // What was typed here goes before it.
    if (!question || askedAction !== 'new_key' || readDraft(draft)) return
    const body = toBody(question.id, 'new_key', contentOf(question))
    void runWithToast(async () => setPreview({ ...(await regrade(body, true)), body }))
  }, [questions === undefined, asked, askedAction])
  return (
    <Loaded of={found}>
      {({ regrades, questions }) => (
        <>
          <section class="sheet" aria-labelledby="correct">
            <h2 id="correct">Regrade a question</h2>
            <NewRegrade
              key={applied}
              questions={questions}
              asked={Number(asked)}
              draft={draft}
              changed={() => setPreview(undefined)}
              send={async (body) => setPreview({ ...(await regrade(body, true)), body })}
            />
            {preview && (
              <div class="stack tight" role="status">
                <p class="notice">
                  {t('Question {number}: {effect}', {
                    number: questions.findIndex(({ id }) => id === preview.body.question_id) + 1,
                    effect: describeEffect(preview.regrade),
                  })}
                </p>
                <Changes regrade={preview.regrade} />
                <div class="row">
                  <Action
                    class="main"
                    act={async () => {
                      await regrade(preview.body, false)
                      dropDraft(draft)
                      setApplied((count) => count + 1)
                      setPreview(undefined)
                      await found.reload()
                      return t('Regraded. Students whose result changed are notified.')
                    }}
                  >
                    Apply
                  </Action>
                  <button type="button" onClick={() => setPreview(undefined)}>
                    Cancel
                  </button>
                </div>
              </div>
            )}
          </section>
          <section class="sheet" aria-labelledby="done">
            <h2 id="done">Past corrections</h2>
            {regrades.length === 0 ? (
              <p class="lead">None yet.</p>
            ) : (
              <ul class="list">
                {regrades.map((each) => (
                  <li key={each.id} class="stack tight">
                    <p class="row spread">
                      <span>
                        {t('<b>{action}</b> ({question}) · {name}, {time}', {
                          action: ACTIONS.find(([key]) => key === each.action)?.[1] ?? '',
                          question: describeQuestion(questions, each.question_id),
                          name: each.created_by ?? '–',
                          time: moment(each.created_at),
                          b: (inner) => <strong>{inner}</strong>,
                        })}
                      </span>
                      {each.undone_at ? (
                        <span class="chip">{t('Undone {time}', { time: moment(each.undone_at) })}</span>
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
                            return t('Undone')
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
            )}
          </section>
        </>
      )}
    </Loaded>
  )
}

interface NewRegradeProps {
  questions: ListedQuestion[]
  /** The id of the question that is chosen at first. */
  asked: number
  /** The name under which the corrected key is kept until it is applied. */
  draft: string
  /** The form is not what was previewed any more. */
  changed: () => void
  send: (body: RegradeBody) => Promise<void>
}

/** What a regrade is made of: a question, and how it is corrected. */
function NewRegrade({ questions, asked, draft, changed, send }: NewRegradeProps) {
  const [id, setId] = useState(asked || questions[0]?.id)
  const [action, setAction] = useState<Regrade['action']>('new_key')
  const [edited, setEdited] = useState<QuestionContent>()
  useEffect(changed, [id, action, edited])
  const question = questions.find((each) => each.id === id)
  if (!question) return <p class="lead">The exam has no questions.</p>
  const content = edited ?? contentOf(question)
  const { Editor } = editorOf(content.question_type)
  return (
    <Form
      button="Preview the changes"
      draft={draft}
      send={async () => {
        await send(toBody(question.id, action, content))
        // It is kept until it is applied.
        return false
      }}
    >
      <div class="fields">
        <Choice
          label="Question"
          name="question_id"
          value={id}
          options={questions.map(
            (each, index) =>
              [
                each.id,
                `${index + 1}. ${plainSummaryOf(each.question_text).slice(0, 60) || t('an image')}`,
              ] as const,
          )}
          onChange={({ currentTarget }) => {
            setId(Number(currentTarget.value))
            setEdited(undefined)
          }}
        />
        <Choice
          label="Correction"
          name="action"
          value={action}
          options={ACTIONS}
          onChange={({ currentTarget }) => setAction(currentTarget.value as Regrade['action'])}
        />
      </div>
      {/* A list of choices can't draw formulas. */}
      <p>
        <QuestionSummary text={question.question_text} />
      </p>
      {/* After the question, whose choice empties it. */}
      <JsonField name="content" value={content} take={setEdited} />
      {action === 'new_key' && (
        <Editor
          key={id}
          content={content}
          change={(changes) => setEdited({ ...content, ...changes })}
          isKeyOnly
          text={question.question_text}
          editText={() => {}}
        />
      )}
    </Form>
  )
}

function toBody(question_id: number, action: Regrade['action'], content: QuestionContent) {
  const { correct_answer, tolerance, parts } = content
  const key = parts === null ? { correct_answer, tolerance } : { parts }
  return { question_id, action, ...(action === 'new_key' ? key : {}) }
}

function describeQuestion(questions: readonly { id: number; question_text: string }[], id: number): string {
  const at = questions.findIndex((question) => question.id === id)
  return at === -1 ? t('a deleted question') : t('question {number}', { number: at + 1 })
}

/** The effect of a regrade in one sentence. */
function describeEffect({ attempts, raised, lowered, unchanged }: Regrade): string {
  return t(
    'Of {count, plural, one {# attempt} other {# attempts}} {raised} higher, {lowered} lower, {unchanged} as before.',
    { count: attempts, raised, lowered, unchanged },
  )
}

function Changes({ regrade }: { regrade: Regrade }) {
  if (regrade.changes.length === 0) return null
  return (
    <Table
      caption="Changed scores"
      rows={regrade.changes}
      keyOf={(row) => row.attempt_id}
      columns={[
        { head: t('Who'), cell: (row) => row.username },
        {
          head: t('Before'),
          cell: (row) =>
            t('{part} of {whole}', { part: number(row.old_score), whole: number(row.old_max_score) }),
          isNumber: true,
        },
        {
          head: t('After'),
          cell: (row) =>
            t('{part} of {whole}', { part: number(row.new_score), whole: number(row.new_max_score) }),
          isNumber: true,
        },
        {
          head: t('Difference'),
          cell: ({ new_score, old_score }) => signed((new_score ?? 0) - (old_score ?? 0)),
          isNumber: true,
        },
      ]}
    />
  )
}
