import { ask, client } from '../../client.ts'
import { KeysClosed } from '../../components/keys-closed.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'
import { ItemAnalysis } from '../teach/exam/items.tsx'
import { Dashboard } from '../teach/oversight/dashboard.tsx'
import type { ViewProps } from '../view-props.ts'

/** The statistics of one exam over the students of one class. */
export default function ClassExam({ params }: ViewProps) {
  const id = Number(params.id)
  const path = { id, exam_id: Number(params.exam) }
  const found = useLoad(`${path.id} ${path.exam_id}`, async () => {
    const { class: own, exams } = await ask(client.GET('/api/v01/classes/{id}', { params: { path: { id } } }))
    return { own, exam: exams?.find((exam) => exam.id === path.exam_id) }
  })
  const tabs = [
    ['items', t('Item analysis')],
    ['analytics', t('Analytics')],
  ] as const
  return (
    <Loaded of={found}>
      {({ own, exam }) => (
        <Page
          title={exam?.name ?? 'Exam'}
          lead={t('The students of {name}', { name: own.name })}
          actions={
            <a class="button" href={`/desk/classes/${id}/results?exam=${path.exam_id}`}>
              Results
            </a>
          }
        >
          <nav class="subtabs" aria-label="Statistics of this exam">
            {tabs.map(([key, text]) => (
              <a
                key={key}
                href={`/desk/classes/${id}/exams/${path.exam_id}/${key}`}
                aria-current={key === params.tab ? 'page' : undefined}
              >
                {text}
              </a>
            ))}
          </nav>
          {params.tab === 'analytics' ? (
            <ClassDashboard path={path} />
          ) : (
            <ItemAnalysis
              examId={path.exam_id}
              load={(attempts) =>
                ask(
                  client.GET('/api/v01/classes/{id}/exams/{exam_id}/items', {
                    params: { path, query: { attempts } },
                  }),
                )
              }
            />
          )}
        </Page>
      )}
    </Loaded>
  )
}

function ClassDashboard({ path: { id, exam_id: exam } }: { path: { id: number; exam_id: number } }) {
  const found = useLoad(`${id} ${exam}`, () =>
    ask(client.GET('/api/v01/classes/{id}/analytics', { params: { path: { id }, query: { exam } } })),
  )
  return (
    <Loaded of={found}>
      {(answer) => (
        <>
          {answer.unmarked.map((closed) => (
            <KeysClosed key={closed.id} of={closed} />
          ))}
          <Dashboard of={answer} />
        </>
      )}
    </Loaded>
  )
}
