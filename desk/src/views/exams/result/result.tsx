import '../taking.css'
import { useState } from 'preact/hooks'
import { ask, client, RequestFailed } from '../../../client.ts'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { useLive } from '../../../components/page/use-live.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import { moment } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { Discussion } from '../../discussion/discussion.tsx'
import { AskTutor } from '../../tutor/ask-tutor.tsx'
import type { ViewProps } from '../../view-props.ts'
import { Challenge, type ChallengeRow } from './challenge.tsx'
import { Figures } from './figures.tsx'
import { PastResults } from './past-results.tsx'
import { type QuestionReview, ReviewedSheet } from './reviewed-sheet.tsx'
import { readNeeded, Verdict } from './verdict.tsx'

/** One finished attempt: the result, and every question with the right answer. */
export default function ResultView({ params }: ViewProps) {
  const id = Number(params.id)
  const path = { params: { path: { attempt_id: id } } }
  const found = useLoad(id, async () => {
    const result = await ask(client.GET('/api/v01/attempts/{attempt_id}', path))
    const [{ challenges }, needed] = await Promise.all([
      ask(client.GET('/api/v01/attempts/{attempt_id}/challenges', path)),
      readNeeded(result.exam_id),
    ])
    const asked = result.review.slice(0, 100).map((question) => question.id)
    // Another exam may lock discussions; the review is shown without their counts then.
    const counts = await ask(
      client.POST('/api/v01/discussions/counts', { body: { question_ids: asked } }),
    ).catch(() => undefined)
    return { result, challenges, needed, counts: counts?.counts ?? {} }
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
      {({ result, challenges, needed, counts }) => {
        const hasWrong = result.review.some((question) => !question.is_correct)
        return (
          <Page
            title={result.exam_name}
            lead={t('Attempt {number} · handed in {time}', {
              number: result.attempt_number,
              time: moment(result.submitted_at),
            })}
            actions={
              <a class="button" href={`/desk/exams/${result.exam_id}`}>
                To the exam
              </a>
            }
          >
            <Verdict of={result} needed={needed} />
            <Figures result={result} />
            <PastResults examId={result.exam_id} />
            {hasWrong && (
              <div class="row">
                <a class="button" href={`/desk/practice/cards?attempt=${id}`}>
                  Practise what wasn’t correct
                </a>
                <button type="button" aria-pressed={only === 'all'} onClick={() => setOnly('all')}>
                  All questions
                </button>
                <button type="button" aria-pressed={only === 'wrong'} onClick={() => setOnly('wrong')}>
                  Only what wasn’t correct
                </button>
              </div>
            )}
            {result.review.map((question, index) =>
              hasWrong && only === 'wrong' && question.is_correct ? null : (
                <QuestionSheet
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
        )
      }}
    </Loaded>
  )
}

interface QuestionSheetProps {
  question: QuestionReview
  number: number
  attemptId: number
  challenges: ChallengeRow[]
  comments: number
  reload: () => Promise<void>
}

function QuestionSheet({
  question,
  number: position,
  attemptId,
  challenges,
  comments,
  reload,
}: QuestionSheetProps) {
  const [beside, setBeside] = useState<'tutor' | 'discussion' | 'challenge'>()
  const toggle = (what: typeof beside) => setBeside(beside === what ? undefined : what)
  return (
    <ReviewedSheet question={question} number={position}>
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
          {comments > 0 ? t('Discussion ({count})', { count: comments }) : 'Discussion'}
        </button>
        <button
          type="button"
          class="small"
          aria-expanded={beside === 'challenge'}
          onClick={() => toggle('challenge')}
        >
          {challenges.length > 0 ? t('Challenge ({count})', { count: challenges.length }) : 'Challenge'}
        </button>
      </div>
      {beside === 'tutor' && <AskTutor attemptId={attemptId} questionId={question.id} />}
      {beside === 'discussion' && (
        <Discussion questionId={question.id} text={question.discussed_text} recount={reload} />
      )}
      {beside === 'challenge' && (
        <Challenge attemptId={attemptId} questionId={question.id} challenges={challenges} reload={reload} />
      )}
    </ReviewedSheet>
  )
}
