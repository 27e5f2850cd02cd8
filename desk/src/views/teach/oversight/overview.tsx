import { ask, client } from '../../../client.ts'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Stat } from '../../../components/page/stat.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { plural } from '../../../format.ts'

/** Totals, and what waits for an administrator. */
export default function Overview() {
  const found = useLoad('overview', async () => {
    const [numbers, requests, challenges, reports] = await Promise.all([
      ask(client.GET('/api/v01/admin/overview')),
      ask(client.GET('/api/v01/admin/access-requests/counts')),
      ask(client.GET('/api/v01/admin/challenges', { params: { query: { status: 'open' } } })),
      ask(client.GET('/api/v01/admin/reports', { params: { query: { status: 'open' } } })),
    ])
    return { numbers, requests, challenges, reports }
  })
  return (
    <Page
      title="Overview"
      actions={
        <a class="button main" href="/desk/teach/exams">
          Exams and questions
        </a>
      }
    >
      <Loaded of={found}>
        {({ numbers, requests, challenges, reports }) => (
          <>
            <dl class="figures">
              <Stat name="People" value={numbers.total_users} />
              <Stat name="Exams" value={numbers.total_exams} />
              <Stat name="Finished attempts" value={numbers.total_results} />
              <Stat name="Answers given" value={numbers.total_responses} />
            </dl>
            <section class="sheet" aria-labelledby="waiting">
              <h2 id="waiting">Waiting for you</h2>
              {requests.pending + challenges.total + reports.total === 0 && (
                <p class="lead">Nothing: everything is answered.</p>
              )}
              <ul class="list">
                {requests.pending > 0 && (
                  <li>
                    <a href="/desk/teach/requests">{plural(requests.pending, 'access request')}</a>
                  </li>
                )}
                {challenges.total > 0 && (
                  <li>
                    <a href="/desk/teach/challenges">{plural(challenges.total, 'challenge')} of results</a>
                  </li>
                )}
                {reports.total > 0 && (
                  <li>
                    <a href="/desk/teach/reports">{plural(reports.total, 'report')} of what somebody wrote</a>
                  </li>
                )}
              </ul>
            </section>
          </>
        )}
      </Loaded>
    </Page>
  )
}
