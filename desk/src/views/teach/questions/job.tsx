import '../../exams/taking.css'
import { useState } from 'preact/hooks'
import { type Answer, ask, client, readAllPages } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { useLive } from '../../../components/page/use-live.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import type { ViewProps } from '../../view-props.ts'
import { mayAdd } from '../exam/change-question.ts'
import { JobState } from './job-state.tsx'
import { Preview } from './preview.tsx'

type GenerationJob = Answer<'/api/v01/admin/ai/status/{job_id}', 'get'>
type GeneratedQuestion = Omit<GenerationJob['questions'][number], 'id'>

/** A generation job: its progress, and its questions, each to be accepted or not. */
export default function JobView({ params }: ViewProps) {
  const id = params.id ?? ''
  const path = { params: { path: { job_id: id } } }
  const found = useLoad(id, () => ask(client.GET('/api/v01/admin/ai/status/{job_id}', path)))
  useLive(found.reload, (frame) => frame.type === 'ai_job' && frame.job_id === id, `ai_job:${id}`)
  return (
    <Page
      title="Generated questions"
      actions={
        <a class="button" href="/desk/teach/generate">
          All jobs
        </a>
      }
    >
      <Loaded of={found}>
        {(job) => (
          <>
            <section class="sheet" aria-label="Progress">
              <p class="row spread">
                <JobState status={job.status} />
                <span role="status" lang="en">
                  {job.error ?? job.message}
                </span>
              </p>
              <progress class="meter" max={100} value={job.percent} aria-label="Progress" />
              <p class="row spread">
                <small>
                  {t(
                    '{percent} · {batches} of {total, plural, one {# batch} other {# batches}} · {count, plural, one {# question} other {# questions}}',
                    {
                      percent: percent(job.percent),
                      batches: job.completed_batches,
                      total: job.total_batches,
                      count: job.questions_so_far,
                    },
                  )}
                </small>
                {job.status === 'running' && (
                  <Action
                    class="small"
                    act={async () => {
                      await ask(client.POST('/api/v01/admin/ai/jobs/{job_id}/cancel', path))
                      await found.reload()
                    }}
                  >
                    Cancel
                  </Action>
                )}
              </p>
            </section>
            {job.questions.length > 0 && (
              <Review questions={job.questions} isRunning={job.status === 'running'} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** What makes two questions the same for whoever reads them. */
function contentOf(
  question: Pick<GeneratedQuestion, 'question_text' | 'option_a' | 'option_b' | 'option_c' | 'option_d'>,
) {
  const { question_text, option_a, option_b, option_c, option_d } = question
  return JSON.stringify([question_text, option_a, option_b, option_c, option_d].map((text) => text.trim()))
}

function Review({ questions, isRunning }: { questions: GeneratedQuestion[]; isRunning: boolean }) {
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const [kept, setKept] = useState<number>()
  const examId = questions[0]?.exam_id ?? 0
  const stored = useLoad(examId, async () => {
    const pages = await readAllPages((page) =>
      ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: examId, page } } })),
    )
    return new Set(pages.flatMap((page) => page.questions).map(contentOf))
  })
  const isStored = (question: GeneratedQuestion) => stored.data?.has(contentOf(question)) ?? false
  const chosen = questions.filter((question, index) => !left.has(index) && !isStored(question))
  function toggle(index: number) {
    const next = new Set(left)
    if (!next.delete(index)) next.add(index)
    setLeft(next)
  }
  return (
    <section class="stack" aria-label="Review">
      {questions.map((question, index) => (
        <div key={index} class={`stack tight ${left.has(index) ? 'left-out' : ''}`}>
          <div class="row spread">
            <h2>
              {index + 1}. {kindOf(question.question_type).name}
            </h2>
            {isStored(question) ? (
              <span class="chip good">In the exam</span>
            ) : (
              <button
                type="button"
                class="small"
                aria-pressed={!left.has(index)}
                disabled={kept !== undefined}
                onClick={() => toggle(index)}
              >
                {left.has(index) ? 'Left out' : 'Keep'}
              </button>
            )}
          </div>
          <Preview question={{ ...question, image_url: null }} />
        </div>
      ))}
      {kept === undefined ? (
        <div class="row">
          <Action
            class="main"
            disabled={isRunning || stored.data === undefined || chosen.length === 0}
            act={async () => {
              if (!(await mayAdd(examId, chosen.length))) return undefined
              const body = {
                exam_id: examId,
                questions: chosen.map(({ exam_id: _, ...question }) => question),
              }
              const { added, errors } = await ask(client.POST('/api/v01/admin/questions/bulk-add', { body }))
              setKept(added)
              await stored.reload()
              return errors
                ? errors.join('; ')
                : t('{count, plural, one {# question kept} other {# questions kept}}', { count: added })
            }}
          >
            {t('{count, plural, one {Keep # question} other {Keep # questions}}', { count: chosen.length })}
          </Action>
          {isRunning && <small>As soon as the job is done.</small>}
        </div>
      ) : (
        <p class="notice" role="status">
          {t('{count, plural, one {# question kept.} other {# questions kept.}} <a>To the exam</a>', {
            count: kept,
            a: (inner) => <a href={`/desk/teach/exams/${examId}/questions`}>{inner}</a>,
          })}
        </p>
      )}
    </section>
  )
}
