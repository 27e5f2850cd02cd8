import { ask, client } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { useLive } from '../../../components/page/use-live.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import { number, percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import type { ViewProps } from '../../view-props.ts'
import { JobState } from './job-state.tsx'
import { ReviewGenerated } from './review-generated.tsx'

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
                <small>
                  {t('{count} tokens, {checks} of them for checks', {
                    count: number(tokensOf(job.usage) + tokensOf(job.usage.checks)),
                    checks: number(tokensOf(job.usage.checks)),
                  })}
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
              <ReviewGenerated jobId={id} questions={job.questions} isRunning={job.status === 'running'} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function tokensOf({ input, cached, output }: { input: number; cached: number; output: number }): number {
  return input + cached + output
}
