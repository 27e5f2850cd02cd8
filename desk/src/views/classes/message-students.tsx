import { type Answer, ask, client } from '../../client.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { Area, Choice, NumberField } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import type { Selection } from '../../components/page/use-selection.ts'
import { nameAndUsername } from '../../format.ts'
import { t } from '../../texts.ts'

type Book = Answer<'/api/v01/classes/{id}/gradebook', 'get'>
export type GradedRow = Book['students'][number]

const TOTAL = 'total'

interface StudentsBelowProps {
  of: Book
  selection: Selection<GradedRow>
}

/** Selects who is below a mark, or has none. */
export function StudentsBelow({ of: { exams, students }, selection }: StudentsBelowProps) {
  return (
    <details class="sheet">
      <summary>Select by marks</summary>
      <Form
        button="Select"
        send={async ({ of, below }) => {
          const limit = String(below ?? '').trim()
          const isMeant = (row: GradedRow) => {
            const mark = markOf(row, String(of))
            return limit === '' ? mark === null : mark !== null && mark < Number(limit)
          }
          selection.clear()
          selection.choose(
            students.filter((row) => !row.left && isMeant(row)),
            true,
          )
        }}
      >
        <Choice
          label="Mark"
          name="of"
          value={TOTAL}
          options={[[TOTAL, t('Total')], ...exams.map(({ id, name }) => [String(id), name] as const)]}
        />
        <NumberField
          label={t('Below, in per cent')}
          hint={t('Left empty: those without a mark')}
          name="below"
          value={50}
          most={100}
          allowsFractions
        />
      </Form>
    </details>
  )
}

function markOf({ total, results }: GradedRow, of: string): number | null {
  if (of === TOTAL) return total
  return results.find(({ exam_id }) => String(exam_id) === of)?.percentage ?? null
}

interface MessageStudentsProps {
  classId: number
  students: readonly GradedRow[]
  close: () => void
}

/** Writes to some students of a class, each of whom sees it as a notice. */
export function MessageStudents({ classId, students, close }: MessageStudentsProps) {
  return (
    <Dialog
      title={t('{count, plural, one {Write to # student} other {Write to # students}}', {
        count: students.length,
      })}
      close={close}
    >
      <Form
        button="Send"
        send={async ({ text }) => {
          await ask(
            client.POST('/api/v01/classes/{id}/message', {
              params: { path: { id: classId } },
              body: { text: String(text), user_ids: students.map(({ user_id }) => user_id) },
            }),
          )
          close()
          return t('Each of them is told in a minute')
        }}
      >
        <p>
          <bdi>{students.map(nameAndUsername).join(', ')}</bdi>
        </p>
        <Area
          label="Message"
          hint={t('They see it among their news; nobody else does, and it can’t be taken back.')}
          name="text"
          maxLength={1000}
        />
      </Form>
    </Dialog>
  )
}
