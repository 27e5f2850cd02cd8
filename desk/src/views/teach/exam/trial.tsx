import '../../exams/taking.css'
import type { Answer as GivenAnswer } from '@exam-practice/client/exam'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Answer, ask, client, RequestFailed } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { focusHeading, Page } from '../../../components/page/page.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { describeMinutes } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { $title } from '../../../view-title.ts'
import { Figures } from '../../exams/result/figures.tsx'
import { ReviewedSheet } from '../../exams/result/reviewed-sheet.tsx'
import { Paper } from '../../exams/taking/paper.tsx'
import type { ViewProps } from '../../view-props.ts'

type Trial = Answer<'/api/v01/admin/exams/{exam_id}/trial', 'get'>
type TrialOutcome = Answer<'/api/v01/admin/exams/{exam_id}/trial', 'post'>

/** An exam as a student would get it, published or not, for those who make it: nothing of it is stored. */
export default function TrialView({ params }: ViewProps) {
  const path = { params: { path: { exam_id: Number(params.id) } } }
  const found = useLoad(params.id, () => ask(client.GET('/api/v01/admin/exams/{exam_id}/trial', path)))
  const [outcome, setOutcome] = useState<TrialOutcome>()
  if (found.error instanceof RequestFailed && found.error.code === 'exam_empty')
    return (
      <Page title="Try it">
        <Empty title="No questions yet">
          <a href={`/desk/teach/exams/${params.id}`}>To the exam</a>
        </Empty>
      </Page>
    )
  return (
    <Loaded of={found}>
      {(trial) =>
        outcome ? (
          <Result
            trial={trial}
            outcome={outcome}
            again={async () => {
              await found.reload()
              setOutcome(undefined)
            }}
          />
        ) : (
          <Tried
            key={trial.trial.seed}
            trial={trial}
            send={async (answers) =>
              setOutcome(
                await ask(
                  client.POST('/api/v01/admin/exams/{exam_id}/trial', {
                    ...path,
                    body: { trial: trial.trial, answers },
                  }),
                ),
              )
            }
          />
        )
      }
    </Loaded>
  )
}

interface TriedProps {
  trial: Trial
  send: (answers: Record<string, GivenAnswer>) => Promise<void>
}

function Tried({ trial: { exam, questions }, send }: TriedProps) {
  const [index, setIndex] = useState(0)
  const [answers, setAnswers] = useState<Record<string, GivenAnswer>>({})
  const [marked, setMarked] = useState<readonly number[]>([])
  const seen = useRef(new Set<number>())
  const shown = questions[index]
  if (shown) seen.current.add(shown.id)
  useEffect(() => $title.set(exam.name), [exam.name])
  return (
    <div class="taking">
      <header class="taking-head">
        <p class="taking-name">
          <bdi>{exam.name}</bdi>
        </p>
        <p class="lead">
          {t('A trial: nothing is stored · {time}', { time: describeMinutes(exam.duration_minutes) })}
        </p>
        <a class="button" href={`/desk/teach/exams/${exam.id}`}>
          To the exam
        </a>
        <Action class={index + 1 === questions.length ? 'main' : ''} act={() => send(answers)}>
          Hand in
        </Action>
      </header>
      <Paper
        questions={questions}
        answers={answers}
        marked={marked}
        seen={[...seen.current]}
        index={index}
        show={setIndex}
        change={({ id }, next) =>
          setAnswers(({ [id]: before, ...others }) => {
            const answer = next(before)
            return answer === null ? others : { ...others, [id]: answer }
          })
        }
        mark={({ id }) =>
          setMarked((before) =>
            before.includes(id) ? before.filter((each) => each !== id) : [...before, id],
          )
        }
        canWrite={() => true}
        areKeysOff={false}
      />
    </div>
  )
}

interface ResultProps {
  trial: Trial
  outcome: TrialOutcome
  again: () => Promise<void>
}

function Result({ trial: { exam }, outcome, again }: ResultProps) {
  useEffect(focusHeading, [])
  const refused = new Map(outcome.rejected?.map(({ question_id, message }) => [question_id, message]))
  return (
    <Page
      title={exam.name}
      lead="The result of a trial: nothing is stored"
      actions={
        <>
          <Action act={again}>Try again</Action>
          <a class="button" href={`/desk/teach/exams/${exam.id}`}>
            To the exam
          </a>
        </>
      }
    >
      <Figures result={outcome} />
      {outcome.review.map((question, index) => (
        <ReviewedSheet
          key={question.id}
          question={question}
          number={index + 1}
          refused={refused.get(question.id)}
        />
      ))}
    </Page>
  )
}
