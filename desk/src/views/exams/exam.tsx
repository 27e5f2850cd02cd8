import { type ExamSession, openExam, resumeExam } from '@exam-practice/client/exam'
import { useEffect, useState } from 'preact/hooks'
import { ask, client, RequestFailed } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Failed, Loaded } from '../../components/page/load-states.tsx'
import { focusHeading, Page } from '../../components/page/page.tsx'
import { Stat } from '../../components/page/stat.tsx'
import { useLive } from '../../components/page/use-live.ts'
import { useLoad } from '../../components/page/use-load.ts'
import { describeMinutes, describeWindow, moment, number, percent } from '../../format.ts'
import { keepImages } from '../../kept-images.ts'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { Taking } from './taking/taking.tsx'

/** One exam: its description, the person's attempts, and taking it. */
export default function ExamView({ params }: ViewProps) {
  const id = Number(params.id)
  const [session, setSession] = useState<ExamSession>()
  const [isLookedFor, setLookedFor] = useState(false)
  const [name, setName] = useState<string>()
  useEffect(() => {
    // A reload must work without the cookie, which can expire during a long exam.
    if (location.pathname.startsWith('/exam/')) go(`/desk/exams/${id}`, 'replace')
  }, [id])
  // After a reload the attempt goes on from this device, whether or not the service answers.
  useEffect(() => {
    let isLeft = false
    setSession(undefined)
    setLookedFor(false)
    void resumeExam(client, id)
      .then((exam) => (isLeft ? exam?.close() : setSession(exam)))
      .finally(() => isLeft || setLookedFor(true))
    return () => {
      isLeft = true
    }
  }, [id])
  useEffect(() => {
    const questions = session?.$state.get().questions ?? []
    // Also those of questions that nobody has looked at before the network goes.
    void keepImages(questions.flatMap(({ image_url }) => image_url ?? [])).catch(() => {})
    return () => session?.close()
  }, [session])
  async function take() {
    const { exam, error } = await openExam(client, id)
    if (error) throw new RequestFailed(error)
    setSession(exam)
  }
  if (session)
    return (
      <Taking
        key={session.$state.get().attemptId}
        session={session}
        name={name}
        close={() => {
          setSession(undefined)
          focusHeading()
        }}
      />
    )
  if (!isLookedFor) return null
  return <Cover key={id} id={id} take={take} named={setName} />
}

interface CoverProps {
  id: number
  take: () => Promise<void>
  named: (name: string) => void
}

function Cover({ id, take, named }: CoverProps) {
  const path = { params: { path: { exam_id: id } } }
  const [error, setError] = useState<unknown>()
  const found = useLoad(id, async () => {
    const [{ exam }, status, history] = await Promise.all([
      ask(client.GET('/api/v01/exams/{exam_id}', path)),
      ask(client.GET('/api/v01/exams/{exam_id}/attempt-status', path)),
      ask(client.GET('/api/v01/attempts', { params: { query: { exam_id: id } } })),
    ])
    named(exam.name)
    return { exam, status, attempts: history.attempts, attemptsTotal: history.total }
  })
  // An attempt that was over may be opened again.
  useLive(found.reload, (frame) => frame.type === 'attempt_time' && frame.exam_id === id)
  const isActive = found.data?.status.has_active_attempt
  const isLost = found.error !== undefined && !(found.error instanceof RequestFailed)
  // After a reload the attempt continues; without the service, from the state stored on this device.
  useEffect(() => {
    if (isActive || isLost) void take().catch((failure) => isActive && setError(failure))
  }, [isActive, isLost])
  return (
    <Loaded of={found}>
      {({ exam, status, attempts, attemptsTotal }) => {
        const window = describeWindow(exam)
        const isUsedUp = !status.has_active_attempt && exam.attempts_remaining === 0
        return (
          <Page title={exam.name} lead={exam.description}>
            {error !== undefined && <Failed error={error} />}
            <dl class="figures">
              <Stat label="Questions" value={exam.question_count} />
              <Stat label="Time" value={describeMinutes(exam.duration_minutes)} />
              <Stat label="To pass" value={percent(exam.pass_percentage)} />
              <Stat label="Attempts left" value={exam.attempts_remaining ?? t('unlimited')} />
            </dl>
            <section class="sheet" aria-labelledby="before">
              <h2 id="before">Before you begin</h2>
              <ul>
                <li>
                  Every answer is saved as you give it, on this device first: a lost connection or a reload
                  loses nothing.
                </li>
                <li>
                  {exam.duration_minutes === null
                    ? 'There is no time limit.'
                    : 'The clock runs from the start and doesn’t stop; at its end what you answered is handed in.'}
                </li>
                {exam.extra_time_percent !== undefined && (
                  <li>{t('You have {percent} more time.', { percent: percent(exam.extra_time_percent) })}</li>
                )}
                {exam.lock_help && <li>Tutor, chat and discussions are closed while you take it.</li>}
                <li>
                  {exam.result_mode === 'instant'
                    ? 'You see your result as soon as you hand in.'
                    : 'Your teacher releases the results later.'}
                </li>
                {window && <li>{window}</li>}
              </ul>
              <div class="row">
                <Action
                  class="main"
                  disabled={isUsedUp}
                  act={async () => {
                    setError(undefined)
                    await take()
                  }}
                >
                  {status.has_active_attempt ? 'Go on' : 'Start the exam'}
                </Action>
                {exam.open_for_practice && (
                  <a class="button" href={`/desk/practice/cards?exam=${id}`}>
                    Practise
                  </a>
                )}
                {isUsedUp && <small>You have used all attempts.</small>}
              </div>
            </section>
            {attempts.length > 0 && (
              <section class="stack tight" aria-labelledby="past">
                <h2 id="past">Your attempts</h2>
                <ul class="list sheet">
                  {attempts.map((attempt) => (
                    <li key={attempt.attempt_id} class="row spread">
                      <span>
                        {t('Attempt {number} · {time}', {
                          number: attempt.attempt_number,
                          time: moment(attempt.submitted_at),
                        })}
                      </span>
                      {attempt.score === null ? (
                        <span class="chip">Not released yet</span>
                      ) : (
                        <a href={`/desk/results/${attempt.attempt_id}`}>
                          {t('{score} of {most, plural, one {# mark} other {# marks}} ({percent})', {
                            score: number(attempt.score),
                            most: attempt.max_score ?? 0,
                            percent: percent(attempt.percentage),
                          })}
                        </a>
                      )}
                    </li>
                  ))}
                </ul>
                {attemptsTotal > attempts.length && <a href="/desk/progress">All attempts</a>}
              </section>
            )}
          </Page>
        )
      }}
    </Loaded>
  )
}
