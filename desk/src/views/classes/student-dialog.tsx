import { type Answer, ask, client } from '../../client.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { Action } from '../../components/forms/button.tsx'
import { MomentField, NumberField } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import type { StudentResult } from '../../components/results-table.tsx'
import { fromLocalInput } from '../../format.ts'
import { t } from '../../texts.ts'
import { sendTimes } from '../teach/exam/ending-attempts.ts'

type Times = Answer<'/api/v01/classes/{id}/exams/{exam_id}/accommodations', 'get'>['accommodations'][number]

interface StudentDialogProps {
  at: { id: number; exam_id: number }
  student: StudentResult
  times: Times | undefined
  close: () => void
  reload: () => Promise<void>
}

/** The times and attempts of one student of a class at one of its exams. */
export function StudentDialog({ at, student, times, close, reload }: StudentDialogProps) {
  const own = { params: { path: { ...at, user_id: student.user_id } } }
  const changeAttempts = async (action: 'increase' | 'decrease') => {
    const body = { student_id: student.user_id, action }
    await ask(client.POST('/api/v01/classes/{id}/exams/{exam_id}/allowances', { params: { path: at }, body }))
    await reload()
    return action === 'increase' ? t('One attempt taken away') : t('One attempt given back')
  }
  return (
    <Dialog title={student.full_name} close={close}>
      <div class="stack">
        <Form
          button="Save"
          send={async ({ extra, opens_at, closes_at }) => {
            const body = {
              extra_time_percent: Number(extra),
              opens_at: fromLocalInput(opens_at),
              closes_at: fromLocalInput(closes_at),
            }
            const isSaved = await sendTimes((confirm) =>
              ask(
                client.PUT('/api/v01/classes/{id}/exams/{exam_id}/accommodations/{user_id}', {
                  ...own,
                  body: { ...body, confirm },
                }),
              ),
            )
            if (!isSaved) return false
            await reload()
            return t('Saved; it takes effect at once')
          }}
          aside={
            times && (
              <Action
                act={async () => {
                  const isSaved = await sendTimes((confirm) =>
                    ask(
                      client.DELETE('/api/v01/classes/{id}/exams/{exam_id}/accommodations/{user_id}', {
                        params: { path: own.params.path, query: { confirm } },
                      }),
                    ),
                  )
                  if (!isSaved) return
                  await reload()
                  close()
                }}
              >
                Times as everybody
              </Action>
            )
          }
        >
          <NumberField
            label="More time in percent"
            name="extra"
            most={300}
            value={times?.extra_time_percent ?? 25}
            required
          />
          <MomentField label="Opens" name="opens_at" value={times?.opens_at} hint="Empty: as the exam" />
          <MomentField label="Closes" name="closes_at" value={times?.closes_at} hint="Empty: as the exam" />
        </Form>
        {student.active && (
          <Form
            button="Extend"
            send={async ({ minutes }) => {
              const { extended } = await ask(
                client.POST('/api/v01/classes/{id}/exams/{exam_id}/extend', {
                  params: { path: at },
                  body: {
                    minutes: Number(minutes),
                    user_ids: [student.user_id],
                    key: client.platform.uuid(),
                  },
                }),
              )
              await reload()
              return t(
                '{count, plural, one {# attempt under way extended} other {# attempts under way extended}}',
                { count: extended },
              )
            }}
          >
            <NumberField
              label="More minutes for the attempt under way"
              name="minutes"
              least={1}
              most={600}
              value={5}
              required
            />
          </Form>
        )}
        <div class="row">
          <Action
            confirm={t('Remove the latest attempt of {name} with its result?', { name: student.full_name })}
            act={() => changeAttempts('decrease')}
          >
            Give an attempt back
          </Action>
          <Action act={() => changeAttempts('increase')}>Take an attempt away</Action>
        </div>
      </div>
    </Dialog>
  )
}
