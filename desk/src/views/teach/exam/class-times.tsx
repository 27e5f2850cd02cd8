import { ask, client, RequestFailed } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { MomentField, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { fromLocalInput, percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { sendTimes } from './ending-attempts.ts'
import type { Exam } from './tab-props.ts'

/** The times of each class that an exam is for, where they differ from the exam's own. */
export function ClassTimes({ exam }: { exam: Exam }) {
  const classes = useLoad('classes', () => ask(client.GET('/api/v01/admin/classes', {})))
  return (
    <section class="sheet" aria-labelledby="of-classes">
      <h2 id="of-classes">Times of classes</h2>
      <p class="lead">A person’s own times go before those of their class.</p>
      {exam.class_ids.map((classId) => (
        <OfClass
          key={classId}
          at={{ exam_id: exam.id, class_id: classId }}
          name={
            classes.data?.classes.find(({ id }) => id === classId)?.name ??
            t('Class {number}', { number: classId })
          }
        />
      ))}
    </section>
  )
}

function OfClass({ at, name }: { at: { exam_id: number; class_id: number }; name: string }) {
  const own = { params: { path: at } }
  const found = useLoad(`${at.exam_id} ${at.class_id}`, async () => {
    try {
      return {
        times: (await ask(client.GET('/api/v01/admin/exams/{exam_id}/class-accommodations/{class_id}', own)))
          .accommodation,
      }
    } catch (error) {
      if (error instanceof RequestFailed && error.code === 'not_found') return { times: undefined }
      throw error
    }
  })
  return (
    <Loaded of={found}>
      {({ times }) => (
        <details>
          <summary>
            {times
              ? t('{name}: {percent} more time', { name, percent: percent(times.extra_time_percent) })
              : t('{name}: the exam’s own times', { name })}
          </summary>
          <Form
            key={JSON.stringify(times)}
            button="Save"
            send={async ({ extra, opens_at, closes_at }) => {
              const body = {
                extra_time_percent: Number(extra),
                opens_at: fromLocalInput(opens_at),
                closes_at: fromLocalInput(closes_at),
              }
              const isSaved = await sendTimes((confirm) =>
                ask(
                  client.PUT('/api/v01/admin/exams/{exam_id}/class-accommodations/{class_id}', {
                    ...own,
                    body: { ...body, confirm },
                  }),
                ),
              )
              if (!isSaved) return false
              await found.reload()
              return t('Saved; it takes effect at once')
            }}
            aside={
              times && (
                <Action
                  aria-label={t('The exam’s own times: {name}', { name })}
                  act={async () => {
                    await sendTimes((confirm) =>
                      ask(
                        client.DELETE('/api/v01/admin/exams/{exam_id}/class-accommodations/{class_id}', {
                          params: { path: at, query: { confirm } },
                        }),
                      ),
                    )
                    await found.reload()
                  }}
                >
                  The exam’s own times
                </Action>
              )
            }
          >
            <div class="fields">
              <NumberField
                label="More time in percent"
                name="extra"
                most={300}
                value={times?.extra_time_percent ?? 25}
                required
              />
              <MomentField label="Opens" name="opens_at" value={times?.opens_at} hint="Empty: as the exam" />
              <MomentField
                label="Closes"
                name="closes_at"
                value={times?.closes_at}
                hint="Empty: as the exam"
              />
            </div>
          </Form>
        </details>
      )}
    </Loaded>
  )
}
