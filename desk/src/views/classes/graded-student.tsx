import { type Answer, ask, client } from '../../client.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { Area } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { nameAndUsername } from '../../format.ts'
import { t } from '../../texts.ts'

type Book = Answer<'/api/v01/classes/{id}/gradebook', 'get'>

interface GradedStudentProps {
  classId: number
  exams: Book['exams']
  student: Book['students'][number]
  close: () => void
  reload: () => Promise<void>
}

/** What counts for a student in the gradebook, and what its teachers note about them. */
export function GradedStudent({ classId, exams, student, close, reload }: GradedStudentProps) {
  const { user_id } = student
  const excuse = async (exam_id: number, isExcused: boolean) => {
    const params = { path: { id: classId, user_id, exam_id } }
    await ask(
      isExcused
        ? client.PUT('/api/v01/classes/{id}/gradebook/excused/{user_id}/{exam_id}', { params })
        : client.DELETE('/api/v01/classes/{id}/gradebook/excused/{user_id}/{exam_id}', { params }),
    )
  }
  return (
    <Dialog title={nameAndUsername(student)} close={close}>
      <Form
        button="Save"
        send={async (fields) => {
          const text = String(fields.comment ?? '').trim()
          if (text !== student.comment)
            await ask(
              client.PUT('/api/v01/classes/{id}/gradebook/comments/{user_id}', {
                params: { path: { id: classId, user_id } },
                body: { text },
              }),
            )
          for (const { id } of exams) {
            const isExcused = fields[`excused-${id}`] !== undefined
            if (isExcused !== student.excused.includes(id)) await excuse(id, isExcused)
          }
          await reload()
          close()
          return t('Saved')
        }}
      >
        <Area
          label="Comment, for the teachers of this class"
          name="comment"
          value={student.comment}
          maxLength={1000}
        />
        <fieldset>
          <legend>Doesn’t count for this student</legend>
          {exams.map(({ id, name }) => (
            <label key={id} class="check">
              <input type="checkbox" name={`excused-${id}`} defaultChecked={student.excused.includes(id)} />{' '}
              <bdi>{name}</bdi>
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  )
}
