import { ask, client } from '../../../client.ts'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Stat } from '../../../components/page/stat.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { t } from '../../../texts.ts'
import type { ViewProps } from '../../view-props.ts'
import { Waiting } from '../waiting.tsx'

/** Totals, and what waits for an administrator. */
export default function Overview({ user }: ViewProps) {
  const found = useLoad('overview', () => ask(client.GET('/api/v01/admin/overview')))
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
        {(numbers) => (
          <>
            <dl class="figures">
              <Stat label="People" value={numbers.total_users} />
              <Stat label="Exams" value={numbers.total_exams} />
              <Stat label="Finished attempts" value={numbers.total_results} />
              <Stat label="Answers given" value={numbers.total_responses} />
            </dl>
            <Waiting user={user} />
            <section class="sheet" aria-labelledby="backup">
              <h2 id="backup">Backup</h2>
              <p>
                {t(
                  'A backup of everything is made on the server: <code>{command}</code>. It can be made while people work.',
                  {
                    command: 'npm run admin -- backup',
                    code: (inner) => <code>{inner}</code>,
                  },
                )}
              </p>
            </section>
          </>
        )}
      </Loaded>
    </Page>
  )
}
