import './class-agenda.css'
import { useEffect } from 'preact/hooks'
import { type Answer, ask, client } from '../../client.ts'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { useLive } from '../../components/page/use-live.ts'
import { useLoad } from '../../components/page/use-load.ts'
import { describeMinutes, describeWindow, list, percent } from '../../format.ts'
import { serverNow } from '../../server-time.ts'
import { t } from '../../texts.ts'

type AgendaExam = Answer<'/api/v01/classes/{id}/agenda', 'get'>['exams'][number]
type State = NonNullable<AgendaExam['state']>

/** What is open changes by itself, and the class may be gone. */
const REFRESH_MS = 60_000
const CLOSES_SOON_MS = 24 * 3_600_000

const STATES: Record<State, [text: string, mark: string]> = {
  under_way: [t('Under way'), 'warn'],
  open: [t('To do'), 'good'],
  soon: [t('Later'), ''],
  done: [t('Done'), ''],
  missed: [t('Missed'), ''],
}

/** What a student of a class has to do in it, and what they are done with; `refresh` reads the class again. */
export function ClassAgenda({ id, refresh }: { id: number; refresh: () => Promise<void> }) {
  const found = useLoad(id, () =>
    ask(client.GET('/api/v01/classes/{id}/agenda', { params: { path: { id } } })),
  )
  const { reload } = found
  useLive(reload, ({ type }) => type === 'results_released' || type === 'result_changed')
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void Promise.all([reload(), refresh()])
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [reload, refresh])
  return (
    <section class="sheet" aria-labelledby="agenda">
      <h2 id="agenda">Exams</h2>
      <Loaded of={found}>
        {({ exams }) => {
          const isOver = ({ state }: AgendaExam) => state === 'done' || state === 'missed'
          const [ahead, over] = [exams.filter((exam) => !isOver(exam)), exams.filter(isOver)]
          if (exams.length === 0)
            return (
              <Empty title="No exams yet">
                <p>They are here, with their dates, as soon as your teacher publishes one.</p>
                <a class="button" href="/desk/practice">
                  Practise
                </a>
              </Empty>
            )
          return (
            <>
              {ahead.length === 0 && <p class="lead">You are done with everything.</p>}
              <ul class="list agenda">
                {ahead.map((exam) => (
                  <Entry key={exam.exam_id} exam={exam} />
                ))}
              </ul>
              {over.length > 0 && (
                <details>
                  <summary>{t('Done or missed: {count}', { count: over.length })}</summary>
                  <ul class="list agenda">
                    {over.map((exam) => (
                      <Entry key={exam.exam_id} exam={exam} />
                    ))}
                  </ul>
                </details>
              )}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

function Entry({ exam }: { exam: AgendaExam }) {
  const { state } = exam
  const [text, mark] = state ? STATES[state] : ['', '']
  const left = exam.attempts_left
  const isPressing =
    state === 'open' && exam.closes_at !== null && Date.parse(exam.closes_at) - serverNow() < CLOSES_SOON_MS
  const facts = [
    describeMinutes(exam.duration_minutes),
    ...(left !== null && state === 'open'
      ? [t('{count, plural, one {# attempt left} other {# attempts left}}', { count: left })]
      : []),
    ...(exam.best_percentage === null
      ? []
      : [t('best result {percent}', { percent: percent(exam.best_percentage) })]),
  ]
  const window = describeWindow(exam)
  return (
    <li>
      <div>
        <p class="row">
          <a href={`/desk/exams/${exam.exam_id}`}>
            <strong>
              <bdi>{exam.name}</bdi>
            </strong>
          </a>
          {text && <span class={`chip ${mark}`}>{text}</span>}
          {window && <span class={isPressing ? 'chip warn' : 'chip'}>{window}</span>}
        </p>
        <small>{list(facts)}</small>
      </div>
      {(state === 'open' || state === 'under_way') && (
        <a
          class={state === 'under_way' || isPressing ? 'button small main' : 'button small'}
          href={`/desk/exams/${exam.exam_id}`}
          aria-label={
            state === 'open'
              ? t('Take: {name}', { name: exam.name })
              : t('Continue: {name}', { name: exam.name })
          }
        >
          {state === 'open' ? 'Take' : 'Continue'}
        </a>
      )}
    </li>
  )
}
