import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Field } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Empty } from '../../components/page/load-states.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { describeWindow } from '../../format.ts'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'
import { ExtendForm } from '../teach/exam/extend-form.tsx'
import type { ClassTabProps } from './class-tab.ts'

/** The exams of a class, more time for those who are taking them, and new ones. */
export function ClassExams({ of: { class: own, exams }, reload }: ClassTabProps) {
  const agenda = useLoad(own.id, () =>
    ask(client.GET('/api/v01/classes/{id}/agenda', { params: { path: { id: own.id } } })),
  )
  const windows = new Map(agenda.data?.exams.map((exam) => [exam.exam_id, describeWindow(exam)]))
  return (
    <div class="stack">
      {exams.length === 0 ? (
        <Empty title="No exams yet" />
      ) : (
        <ul class="cards">
          {exams.map((exam) => (
            <li key={exam.id} class="card">
              <h2>{exam.name}</h2>
              {windows.get(exam.id) && <p class="lead">{windows.get(exam.id)}</p>}
              <div class="row">
                <a
                  class="button small"
                  href={`/desk/teach/exams/${exam.id}`}
                  aria-label={t('Questions and settings: {name}', { name: exam.name })}
                >
                  Questions and settings
                </a>
                <a
                  class="button small"
                  href={`/desk/classes/${own.id}/results?exam=${exam.id}`}
                  aria-label={t('Results: {name}', { name: exam.name })}
                >
                  Results
                </a>
              </div>
              {!own.archived && (
                <ExtendForm
                  label={t('More minutes for attempts under way at {exam}', { exam: exam.name })}
                  question={(minutes) =>
                    t(
                      'Give all students of {class} who take {exam} now {minutes} min more? That can’t be taken back.',
                      { class: own.name, exam: exam.name, minutes },
                    )
                  }
                  extend={(body) =>
                    ask(
                      client.POST('/api/v01/classes/{id}/exams/{exam_id}/extend', {
                        params: { path: { id: own.id, exam_id: exam.id } },
                        body,
                      }),
                    )
                  }
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {!own.archived && (
        <section class="sheet" aria-labelledby="new-exam">
          <h2 id="new-exam">New exam for this class</h2>
          <Form
            button="Create"
            send={async ({ name }) => {
              const body = { name: String(name), class_ids: [own.id] }
              const { exam } = await ask(client.POST('/api/v01/admin/exams', { body }))
              go(`/desk/teach/exams/${exam.id}`)
            }}
          >
            <Field label="Name" name="name" required maxLength={200} />
          </Form>
        </section>
      )}
      <Action class="small" act={reload}>
        Refresh
      </Action>
    </div>
  )
}
