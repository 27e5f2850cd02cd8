import { ask, client } from '../../../client.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { t } from '../../../texts.ts'
import { ExamChoice } from '../exam-choice.tsx'

interface CopyDialogProps {
  ids: number[]
  copied: () => Promise<void>
  close: () => void
}

/** Copies questions into an exam. */
export function CopyDialog({ ids, copied, close }: CopyDialogProps) {
  return (
    <Dialog
      title={t('{count, plural, one {Copy # question} other {Copy # questions}}', { count: ids.length })}
      close={close}
    >
      <Form
        button="Copy"
        send={async ({ exam_id }) => {
          const body = { ids, exam_id: Number(exam_id) }
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
      </Form>
    </Dialog>
  )
}
