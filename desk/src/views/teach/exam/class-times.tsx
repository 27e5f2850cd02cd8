import { ask, client, RequestFailed, readAllPages } from '../../../client.ts'
import { Loaded } from '../../../components/page/load-states.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import type { TimesOperations } from './change-times.ts'
import type { Exam } from './tab-props.ts'
import { RemoveTimes, TimesForm } from './times-form.tsx'

/** The times of each class that an exam is for, where they differ from the exam's own. */
export function ClassTimes({ exam }: { exam: Exam }) {
  const classes = useLoad('classes', async () => {
    const pages = await readAllPages((page) =>
      ask(client.GET('/api/v01/admin/classes', { params: { query: { page } } })),
    )
    return new Map(pages.flatMap((page) => page.classes).map(({ id, name }) => [id, name]))
  })
  return (
    <section class="sheet" aria-labelledby="of-classes">
      <h2 id="of-classes">Times of classes</h2>
      <p class="lead">A person’s own times go before those of their class.</p>
      {exam.class_ids.map((classId) => (
        <OfClass
          key={classId}
          at={{ exam_id: exam.id, class_id: classId }}
          name={classes.data?.get(classId) ?? t('Class {number}', { number: classId })}
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
  const operations: TimesOperations = {
    change: (body) =>
      ask(client.PATCH('/api/v01/admin/exams/{exam_id}/class-accommodations/{class_id}', { ...own, body })),
    set: (body) =>
      ask(client.PUT('/api/v01/admin/exams/{exam_id}/class-accommodations/{class_id}', { ...own, body })),
    remove: (query) =>
      ask(
        client.DELETE('/api/v01/admin/exams/{exam_id}/class-accommodations/{class_id}', {
          params: { path: at, query },
        }),
      ),
  }
  return (
    <Loaded of={found}>
      {({ times }) => (
        <details>
          <summary>
            {times
              ? t('{name}: {percent} more time', { name, percent: percent(times.extra_time_percent) })
              : t('{name}: the exam’s own times', { name })}
          </summary>
          <TimesForm
            draft={`times-${at.exam_id}-class-${at.class_id}`}
            operations={operations}
            of={times}
            done={found.reload}
            aside={
              times && <RemoveTimes operations={operations} before={times} name={name} done={found.reload} />
            }
          />
        </details>
      )}
    </Loaded>
  )
}
