import { type Answer, ask, client } from '../../client.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { promptForName } from '../../components/dialogs/prompts.tsx'
import { OUTLIVING, sendSoon } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import type { StudentResult } from '../../components/results-table.tsx'
import { t } from '../../texts.ts'
import type { TimesOperations } from '../teach/exam/change-times.ts'
import { ExtendForm, mayGetMinutes } from '../teach/exam/extend-form.tsx'
import { RemoveTimes, TimesForm } from '../teach/exam/times-form.tsx'

type StudentTimes = Answer<
  '/api/v01/classes/{id}/exams/{exam_id}/accommodations',
  'get'
>['accommodations'][number]

interface StudentDialogProps {
  at: { id: number; exam_id: number }
  student: StudentResult
  times: StudentTimes | undefined
  close: () => void
  reload: () => Promise<void>
}

/** The times and attempts of one student of a class at one of its exams. */
export function StudentDialog({ at, student, times, close, reload }: StudentDialogProps) {
  const path = { ...at, user_id: student.user_id }
  const name = student.full_name
  const changeAttempts = async (action: 'increase' | 'decrease') => {
    const body = { student_id: student.user_id, action }
    const params = { path: at }
    await ask(client.POST('/api/v01/classes/{id}/exams/{exam_id}/allowances', { params, body, ...OUTLIVING }))
    await reload()
  }
  const own = { params: { path } }
  const operations: TimesOperations = {
    change: (body) =>
      ask(client.PATCH('/api/v01/classes/{id}/exams/{exam_id}/accommodations/{user_id}', { ...own, body })),
    set: (body) =>
      ask(client.PUT('/api/v01/classes/{id}/exams/{exam_id}/accommodations/{user_id}', { ...own, body })),
    remove: (query) =>
      ask(
        client.DELETE('/api/v01/classes/{id}/exams/{exam_id}/accommodations/{user_id}', {
          params: { path, query },
        }),
      ),
  }
  // The notice that offers to undo it can't be reached as long as the dialog is open.
  const done = async () => {
    close()
    await reload()
  }
  return (
    <Dialog title={name} close={close}>
      <div class="stack">
        {mayGetMinutes(student) && (
          <ExtendForm
            label={
              student.active
                ? 'More minutes for the attempt under way'
                : 'Minutes for opening the ended attempt again'
            }
            question={(minutes) =>
              t('Give {name} {minutes} min more? That can’t be taken back.', { name, minutes })
            }
            extend={(body) =>
              ask(
                client.POST('/api/v01/classes/{id}/exams/{exam_id}/extend', {
                  params: { path: at },
                  body: { ...body, user_ids: [student.user_id] },
                }),
              )
            }
            done={reload}
          />
        )}
        <TimesForm
          draft={`times-${at.exam_id}-${student.user_id}`}
          operations={operations}
          of={times}
          done={done}
          aside={times && <RemoveTimes operations={operations} before={times} name={name} done={done} />}
        />
        <div class="row">
          <Action
            class="bad"
            act={async () => {
              const isSure = await promptForName(
                t(
                  'Delete the latest attempt of {name} with its answers and its result, for good? They can take the exam once more then.',
                  { name },
                ),
                t('Delete the attempt'),
                student.username,
              )
              if (!isSure) return undefined
              await changeAttempts('decrease')
              return t('The attempt is deleted')
            }}
          >
            Delete the latest attempt
          </Action>
          <button
            type="button"
            onClick={() => {
              close()
              sendSoon(t('One attempt of {name} taken away', { name }), () => changeAttempts('increase'))
            }}
          >
            Take an attempt away
          </button>
        </div>
      </div>
    </Dialog>
  )
}
