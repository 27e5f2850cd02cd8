import { type Answer, ask, client } from '../../client.ts'
import { KeysClosed } from '../../components/keys-closed.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { Stat } from '../../components/page/stat.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { ScoreOf } from '../../components/questions/marks-of.tsx'
import { ReviewedQuestion } from '../../components/questions/reviewed-question.tsx'
import { moment, number, percent, timeTaken } from '../../format.ts'
import { t } from '../../texts.ts'
import { Judgement } from '../exams/result/reviewed-sheet.tsx'
import type { ViewProps } from '../view-props.ts'

type ReviewedAttempt = Answer<'/api/v01/classes/{id}/attempts/{attempt_id}', 'get'>
type AttemptQuestion = NonNullable<ReviewedAttempt['review']>[number]

/**
 * A student's attempt for their teachers and administrators: how far it is, and once it is finished what was answered.
 */
export default function StudentAttempt({ params }: ViewProps) {
  const attemptId = Number(params.attempt)
  const found = useLoad(`${params.id} ${attemptId}`, () =>
    params.id === undefined
      ? ask(
          client.GET('/api/v01/admin/attempts/{attempt_id}/review', {
            params: { path: { attempt_id: attemptId } },
          }),
        )
      : ask(
          client.GET('/api/v01/classes/{id}/attempts/{attempt_id}', {
            params: { path: { id: Number(params.id), attempt_id: attemptId } },
          }),
        ),
  )
  return (
    <Loaded of={found}>
      {(attempt) => (
        <Page
          title={`${attempt.full_name}: ${attempt.exam_name}`}
          lead={t('Attempt {number} of {name} · {state}', {
            number: attempt.attempt_number,
            name: attempt.username,
            state: stateOf(attempt),
          })}
        >
          <dl class="figures">
            <Stat
              label="Answered"
              value={t('{part} of {whole}', { part: attempt.answered, whole: attempt.question_count })}
            />
            {attempt.submitted_at !== null && (
              <Stat
                label="Time taken"
                value={timeTaken({ started_at: attempt.started_at, submitted_at: attempt.submitted_at })}
              />
            )}
            {attempt.result && (
              <>
                <Stat
                  label="Score"
                  value={t('{part} of {whole}', {
                    part: number(attempt.result.score),
                    whole: number(attempt.result.max_score),
                  })}
                />
                <Stat label="Percent" value={percent(attempt.result.percentage)} />
              </>
            )}
          </dl>
          <KeysClosed of={attempt} />
          {attempt.review?.map((question, index) => (
            <article
              key={question.id}
              class="sheet"
              aria-label={t('Question {number}', { number: index + 1 })}
            >
              <div class="row spread">
                <h2>{t('Question {number}', { number: index + 1 })}</h2>
                <Marks question={question} />
              </div>
              <ReviewedQuestion
                question={{
                  ...question,
                  correct_answer: question.correct_answer ?? '',
                  tolerance: question.tolerance ?? 0,
                }}
                given={question.given_answer}
                correct={question.correct}
                explanation={question.explanation ?? ''}
                givenName="The student’s answer"
              />
            </article>
          ))}
        </Page>
      )}
    </Loaded>
  )
}

function stateOf({ status, submitted_at, ends_at }: ReviewedAttempt): string {
  if (status === 'active')
    return ends_at ? t('under way until {time}', { time: moment(ends_at) }) : t('under way')
  const time = submitted_at ? moment(submitted_at) : ''
  return status === 'expired'
    ? t('closed at the end of its time {time}', { time })
    : t('handed in {time}', { time })
}

function Marks({ question }: { question: AttemptQuestion }) {
  if (question.marks_awarded === null)
    return question.given_answer === null ? <span class="chip">Not answered</span> : null
  return (
    <span class="row">
      {question.regraded && <span class="chip warn">Regraded</span>}
      <Judgement question={question} />
      <ScoreOf awarded={question.marks_awarded} most={question.positive_marks} />
    </span>
  )
}
