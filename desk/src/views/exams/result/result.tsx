import '../taking.css'
import { useState } from 'preact/hooks'
import { type Answer, ask, client, RequestFailed } from '../../../client.ts'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { useLive } from '../../../components/page/use-live.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import { RichText } from '../../../components/rich-text.tsx'
import { moment, number } from '../../../format.ts'
import { Discussion } from '../../discussion/discussion.tsx'
import { AskTutor } from '../../tutor/ask-tutor.tsx'
import type { ViewProps } from '../../view-props.ts'
import { QuestionText } from '../question-text.tsx'
import { listOptions } from '../taking/answer-field.tsx'
import { Challenge, type ChallengeRow } from './challenge.tsx'
import { Figures } from './figures.tsx'

type Result = Answer<'/api/v01/attempts/{attempt_id}', 'get'>
type Reviewed = Result['review'][number]

/** One finished attempt: the result, and every question with the right answer. */
export default function ResultView({ params }: ViewProps) {
  const id = Number(params.id)
  const path = { params: { path: { attempt_id: id } } }
  const found = useLoad(id, async () => {
    const result = await ask(client.GET('/api/v01/attempts/{attempt_id}', path))
    const { challenges } = await ask(client.GET('/api/v01/attempts/{attempt_id}/challenges', path))
    const asked = result.review.slice(0, 100).map((question) => question.id)
    // Another exam may lock discussions; the review is shown without their counts then.
    const counts = await ask(
      client.POST('/api/v01/discussions/counts', { body: { question_ids: asked } }),
    ).catch(() => undefined)
    return { result, challenges, counts: counts?.counts ?? {} }
  })
  // Until the result may be seen, its exam is not known here.
  const examId = found.data?.result.exam_id
  useLive(found.reload, (frame) =>
    frame.type === 'result_changed'
      ? frame.attempt_id === id
      : frame.type === 'results_released' && (examId === undefined || frame.exam_id === examId),
  )
  const [only, setOnly] = useState<'all' | 'wrong'>('all')
  if (found.error instanceof RequestFailed && found.error.code === 'results_not_released')
    return (
      <Page title="Result">
        <Empty title="Not released yet">
          <p>
            Your teacher releases the results of this exam later. You are told here as soon as it happens.
          </p>
        </Empty>
      </Page>
    )
  return (
    <Loaded of={found}>
      {({ result, challenges, counts }) => (
        <Page
          title={result.exam_name}
          lead={`Attempt ${result.attempt_number} · handed in ${moment(result.submitted_at)}`}
          actions={
            <a class="button" href={`/desk/exams/${result.exam_id}`}>
              To the exam
            </a>
          }
        >
          <Figures result={result.result} />
          <div class="row">
            <button type="button" aria-pressed={only === 'all'} onClick={() => setOnly('all')}>
              All questions
            </button>
            <button type="button" aria-pressed={only === 'wrong'} onClick={() => setOnly('wrong')}>
              Only what wasn’t right
            </button>
          </div>
          {result.review.map((question, index) =>
            only === 'wrong' && question.is_correct ? null : (
              <ReviewedQuestion
                key={question.id}
                question={question}
                number={index + 1}
                attemptId={id}
                challenges={challenges.filter((each) => each.question_id === question.id)}
                comments={counts[question.id] ?? 0}
                reload={found.reload}
              />
            ),
          )}
        </Page>
      )}
    </Loaded>
  )
}

interface ReviewedProps {
  question: Reviewed
  number: number
  attemptId: number
  challenges: ChallengeRow[]
  comments: number
  reload: () => Promise<void>
}

function ReviewedQuestion({
  question,
  number: position,
  attemptId,
  challenges,
  comments,
  reload,
}: ReviewedProps) {
  const [beside, setBeside] = useState<'tutor' | 'discussion' | 'challenge'>()
  const toggle = (what: typeof beside) => setBeside(beside === what ? undefined : what)
  const verdict = question.is_correct
    ? 'Right'
    : question.given_answer === null
      ? 'Not answered'
      : 'Not right'
  return (
    <article class="sheet" aria-label={`Question ${position}`}>
      <div class="row spread">
        <h2>Question {position}</h2>
        <span class="row">
          {question.regraded && <span class="chip warn">Corrected since</span>}
          <span class={`chip ${question.is_correct ? 'good' : question.given_answer === null ? '' : 'bad'}`}>
            {verdict}
          </span>
          <small>{number(question.marks_awarded)} points</small>
        </span>
      </div>
      <QuestionText question={question} />
      <Answers question={question} />
      <div class="row">
        <button
          type="button"
          class="small"
          aria-expanded={beside === 'tutor'}
          onClick={() => toggle('tutor')}
        >
          Ask the tutor
        </button>
        <button
          type="button"
          class="small"
          aria-expanded={beside === 'discussion'}
          onClick={() => toggle('discussion')}
        >
          Discussion{comments > 0 && ` (${comments})`}
        </button>
        <button
          type="button"
          class="small"
          aria-expanded={beside === 'challenge'}
          onClick={() => toggle('challenge')}
        >
          Something wrong here?{challenges.length > 0 && ` (${challenges.length})`}
        </button>
      </div>
      {beside === 'tutor' && <AskTutor question={question} />}
      {beside === 'discussion' && <Discussion questionId={question.id} />}
      {beside === 'challenge' && (
        <Challenge attemptId={attemptId} questionId={question.id} challenges={challenges} reload={reload} />
      )}
    </article>
  )
}

function Answers({ question }: { question: Reviewed }) {
  const given = question.given_answer
  if (question.question_type === 'NUMERIC')
    return (
      <p>
        Your number: <strong>{typeof given === 'string' && given !== '' ? given : '–'}</strong> · right:{' '}
        <strong>{question.correct_answer || '–'}</strong>
        {question.tolerance > 0 && ` ± ${question.tolerance}`}
      </p>
    )
  const key = question.correct_answer.split(',')
  const chosen = Array.isArray(given) ? given : given === null ? [] : [given]
  return (
    <ul class="options reviewed">
      {listOptions(question).map(([letter, text]) => (
        <li
          key={letter}
          class={`option ${key.includes(letter) ? 'right' : chosen.includes(letter) ? 'wrong' : ''}`}
        >
          <b>{letter}</b>
          <RichText text={text} />
          <span class="marks">
            {chosen.includes(letter) && <span class="chip">Yours</span>}
            {key.includes(letter) && <span class="chip good">Right</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}
