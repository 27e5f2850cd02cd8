import { useStore } from '@nanostores/preact'
import { useRef, useState } from 'preact/hooks'
import { ask, client, readAllPages, toQuery } from '../../../client.ts'
import { $beingDeleted, deleteSoon, OUTLIVING, runWithToast } from '../../../components/dialogs/toasts.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Choice, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { moved } from '../../../components/forms/move-buttons.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { firstOf, Pager } from '../../../components/page/pager.tsx'
import { SelectionBar } from '../../../components/page/selection-bar.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { useSelection } from '../../../components/page/use-selection.ts'
import { lacksKey } from '../../../components/questions/kind.ts'
import { kindOf, QUESTION_TYPES } from '../../../components/questions/kinds.ts'
import { MarksOf } from '../../../components/questions/marks-of.tsx'
import { QuestionSummary } from '../../../components/questions/question-summary.tsx'
import { useDrag } from '../../../components/questions/use-drag.ts'
import { isAdministrator } from '../../../roles.ts'
import { $query } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { TagFilter } from '../questions/tag-filter.tsx'
import { mayDelete, maySetMarks } from './change-question.ts'
import { CopyDialog } from './copy-dialog.tsx'
import type { ListedQuestion } from './paper-plan.ts'
import type { TabProps } from './tab-props.ts'

/** The questions of an exam: open, add, set marks, copy, delete. */
export function Questions({ exam, user }: TabProps) {
  const { page, tag } = useStore($query)
  const [isCopying, setCopying] = useState(false)
  const found = useLoad(`${exam.id} ${page} ${tag}`, () =>
    ask(
      client.GET('/api/v01/admin/questions', {
        params: { query: toQuery<'/api/v01/admin/questions'>({ exam_id: exam.id, tag, page }) },
      }),
    ),
  )
  const whole = useLoad(`${exam.id} whole`, () => readWhole(exam.id))
  const [wanted, setWanted] = useState<readonly number[]>()
  /** Those of a page, before the service has answered a move. */
  const inOrder = (questions: readonly ListedQuestion[]) =>
    wanted ? questions.toSorted((one, other) => wanted.indexOf(one.id) - wanted.indexOf(other.id)) : questions
  const isMovable = !tag && whole.data !== undefined
  const reload = async () => {
    await Promise.all([found.reload(), whole.reload()])
    setWanted(undefined)
  }
  /** One move after another: each begins from the order that the last one left. */
  const moves = useRef(Promise.resolve())
  const place = (id: number, to: number) => {
    const ids = wanted ?? whole.data?.map((question) => question.id) ?? []
    const from = ids.indexOf(id)
    if (from === -1 || to < 0 || to >= ids.length || to === from) return
    const order = moved(ids, from, to)
    setWanted(order)
    moves.current = moves.current.then(async () => {
      await runWithToast(async () => {
        try {
          await ask(
            client.PUT('/api/v01/admin/exams/{id}/order', {
              params: { path: { id: exam.id } },
              body: { ids: order },
            }),
          )
        } finally {
          await reload()
        }
        document.getElementById(`move-${id}`)?.focus()
      })
    })
  }
  const { grip, drag } = useDrag((id, to) => place(Number(id), Number(to)))
  const selection = useSelection<ListedQuestion>(({ id }) => id)
  const deleted = useStore($beingDeleted)
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
      <SelectionBar
        count={selection.chosen.length}
        label={t('{count, plural, one {# question selected} other {# questions selected}}', {
          count: selection.chosen.length,
        })}
        clear={selection.clear}
      >
        {isAdministrator(user) && (
          <button type="button" class="small" onClick={() => setCopying(true)}>
            Copy
          </button>
        )}
        <Action
          class="small bad"
          act={async () => {
            const ids = selection.chosen.map(({ id }) => id)
            if (!(await mayDelete(exam.id, ids.length))) return
            selection.clear()
            deleteSoon(
              ids.map((id) => `question-${id}`),
              t('{count, plural, one {# question deleted} other {# questions deleted}}', {
                count: ids.length,
              }),
              async () => {
                await ask(
                  client.POST('/api/v01/admin/questions/bulk-delete', { body: { ids }, ...OUTLIVING }),
                )
                await reload()
              },
            )
          }}
        >
          Delete
        </Action>
      </SelectionBar>
      {isCopying && (
        <CopyDialog
          questions={selection.chosen}
          copied={async () => {
            selection.clear()
            await reload()
          }}
          close={() => setCopying(false)}
        />
      )}
      <TagFilter />
      {whole.data && whole.data.length > 0 && (
        <p class="row in-view" role="status">
          <span class="chip">
            {t('{count, plural, one {# question} other {# questions}}', { count: whole.data.length })}
          </span>
          <b class="chip">
            {t('{marks, plural, one {# mark in all} other {# marks in all}}', { marks: sumOf(whole.data) })}
          </b>
        </p>
      )}
      <Loaded of={found}>
        {(list) =>
          list.questions.length === 0 && tag ? (
            <Empty title="No question has this tag" />
          ) : list.questions.length === 0 ? (
            <Empty title="No questions yet">
              <p>Add one, import a file, or let some be written.</p>
            </Empty>
          ) : (
            <>
              <ol class="list sheet leading" start={firstOf(list)}>
                {inOrder(list.questions)
                  .filter(({ id }) => !deleted.has(`question-${id}`))
                  .map((question, index) => (
                    <li
                      key={question.id}
                      class={`row ${drag?.dragged === String(question.id) ? 'dragged' : ''} ${drag?.over === String(firstOf(list) - 1 + index) ? 'over' : ''}`}
                      {...(isMovable && {
                        'data-dragged': question.id,
                        'data-place': firstOf(list) - 1 + index,
                      })}
                    >
                      {isMovable && (
                        <button
                          type="button"
                          class="grip"
                          id={`move-${question.id}`}
                          aria-label={t('Move question {number}: arrow keys, or drag', {
                            number: firstOf(list) + index,
                          })}
                          {...grip}
                          onKeyDown={(event) => {
                            const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
                            if (by === undefined) return
                            event.preventDefault()
                            place(question.id, firstOf(list) - 1 + index + by)
                          }}
                        />
                      )}
                      <input
                        type="checkbox"
                        aria-label={t('Select question {number}', { number: firstOf(list) + index })}
                        checked={selection.has(question)}
                        onChange={({ currentTarget }) => selection.choose([question], currentTarget.checked)}
                      />
                      <b aria-hidden="true">{firstOf(list) + index}.</b>
                      <a class="grow clamp" href={`/desk/teach/questions/${exam.id}/${question.id}`}>
                        <QuestionSummary text={question.question_text} />
                      </a>
                      {question.tags.map((each) => (
                        <span key={each} class="chip">
                          {each}
                        </span>
                      ))}
                      <span class="chip">{kindOf(question.question_type).name}</span>
                      {lacksKey(question) && <span class="chip warn">No key</span>}
                      <MarksOf question={question} />
                    </li>
                  ))}
              </ol>
              <Pager
                of={list}
                total={t('{count, plural, one {# question} other {# questions}}', { count: list.total })}
              />
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
            if (!(await maySetMarks(exam))) return false
            const { updated } = await ask(client.POST('/api/v01/admin/questions/bulk-marks', { body }))
            await reload()
            return t('{count, plural, one {# question changed} other {# questions changed}}', {
              count: updated,
            })
          }}
        >
          <div class="fields">
            <Choice
              label="Type"
              name="question_type"
              options={QUESTION_TYPES.map((type) => [type, kindOf(type).name] as const)}
            />
            <NumberField
              label="Marks for a correct answer"
              name="positive_marks"
              allowsFractions
              value={4}
              required
            />
            <NumberField
              label="Marks off for an incorrect one"
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

/** Pages of questions that are read for their order and sum; larger exams are banks, which nobody takes whole. */
const MOST_PAGES = 20

/** All questions of an exam in their order; undefined of an exam with too many. */
async function readWhole(examId: number): Promise<ListedQuestion[] | undefined> {
  const pages = await readAllPages(
    (page) => ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: examId, page } } })),
    MOST_PAGES,
  )
  const questions = pages.flatMap((page) => page.questions)
  return questions.length < (pages[0]?.total ?? 0) ? undefined : questions
}

/** The marks of all of them, without the errors of adding decimals in binary. */
function sumOf(questions: readonly ListedQuestion[]): number {
  return Number(questions.reduce((sum, { positive_marks }) => sum + positive_marks, 0).toFixed(4))
}
