import { type Answer, ask, client } from '../../client.ts'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { Stat } from '../../components/page/stat.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { ReviewedQuestion } from '../../components/questions/reviewed-question.tsx'
import { moment, number, plural } from '../../format.ts'
import type { ViewProps } from '../view-props.ts'

type Attempt = Answer<'/api/v01/classes/{id}/attempts/{attempt_id}', 'get'>
type Question = NonNullable<Attempt['review']>[number]

/** A student's attempt for their teachers and administrators: how far it is, and once it is finished what was answered. */
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
          lead={`Attempt ${attempt.attempt_number} of ${attempt.username} · ${stateOf(attempt)}`}
        >
          <dl class="figures">
            <Stat name="Answered" value={`${attempt.answered} of ${attempt.question_count}`} />
            {attempt.result && (
              <>
                <Stat
                  name="Score"
                  value={`${number(attempt.result.score)} of ${number(attempt.result.max_score)}`}
                />
                <Stat name="Percent" value={`${number(attempt.result.percentage)} %`} />
              </>
            )}
          </dl>
          {attempt.review && !attempt.shows_keys && (
            <p class="notice">The right answers are shown once the exam has closed.</p>
          )}
          {attempt.review?.map((question, index) => (
            <article key={question.id} class="sheet" aria-label={`Question ${index + 1}`}>
              <div class="row spread">
                <h2>Question {index + 1}</h2>
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

function stateOf({ status, submitted_at, ends_at }: Attempt): string {
  if (status === 'active') return ends_at ? `under way until ${moment(ends_at)}` : 'under way'
  return `${status === 'expired' ? 'closed at the end of its time' : 'handed in'} ${submitted_at ? moment(submitted_at) : ''}`
}

function Marks({ question }: { question: Question }) {
  if (question.marks_awarded === null)
    return question.given_answer === null ? <span class="chip">Not answered</span> : null
  return (
    <span class="row">
      <span class={`chip ${question.is_correct ? 'good' : question.given_answer === null ? '' : 'bad'}`}>
        {question.is_correct ? 'Correct' : question.given_answer === null ? 'Not answered' : 'Not correct'}
      </span>
      <small>
        {number(question.marks_awarded)} of {plural(question.positive_marks, 'mark')}
      </small>
    </span>
  )
}
