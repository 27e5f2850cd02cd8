import './copy-dialog.css'
import { useId, useState } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { MoveButtons, moved } from '../../../components/forms/move-buttons.tsx'
import { QuestionSummary } from '../../../components/questions/question-summary.tsx'
import { t } from '../../../texts.ts'
import { ExamChoice } from '../exam-choice.tsx'
import { mayAdd } from './change-question.ts'
import type { ListedQuestion } from './paper-plan.ts'

interface CopyDialogProps {
  /** In the order in which they were selected. */
  questions: readonly ListedQuestion[]
  copied: () => Promise<void>
  close: () => void
}

/** Copies questions into an exam, in an order that can be chosen. */
export function CopyDialog({ questions, copied, close }: CopyDialogProps) {
  const id = useId()
  const [order, setOrder] = useState(questions)
  return (
    <Dialog
      title={t('{count, plural, one {Copy # question} other {Copy # questions}}', { count: order.length })}
      close={close}
    >
      <Form
        button="Copy"
        send={async ({ exam_id }) => {
          const body = { ids: order.map((each) => each.id), exam_id: Number(exam_id) }
          if (!(await mayAdd(body.exam_id, order.length))) return false
          const answer = await ask(client.POST('/api/v01/admin/questions/copy', { body }))
          close()
          await copied()
          return (
            answer.errors?.join('; ') ??
            t('{count, plural, one {# question copied} other {# questions copied}}', { count: answer.copied })
          )
        }}
      >
        <ExamChoice label="Into the exam" name="exam_id" value={undefined} />
        {order.length > 1 && (
          <div class="stack tight">
            <p class="label">Order of the copies</p>
            <ol class="list copies" aria-label="Order of the copies">
              {order.map((question, index) => (
                <li key={index} class="row">
                  <b aria-hidden="true">{index + 1}.</b>
                  <span class="grow clamp">
                    <QuestionSummary text={question.question_text} />
                  </span>
                  <span class="row tight">
                    <MoveButtons
                      id={id}
                      index={index}
                      count={order.length}
                      up={t('Move question {number} up', { number: index + 1 })}
                      down={t('Move question {number} down', { number: index + 1 })}
                      move={(to) => setOrder(moved(order, index, to))}
                    />
                  </span>
                </li>
              ))}
            </ol>
          </div>
        )}
      </Form>
    </Dialog>
  )
}
