import { useStore } from '@nanostores/preact'
import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { day } from '../../format.ts'
import { isAdministrator } from '../../roles.ts'
import { $query } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { leaveQuestion } from './class-words.ts'
import { JoinClass } from './join-class.tsx'

/** The classes that somebody is in, those that ask them to join, and joining by a code, which a link brings along. */
export default function Classes({ user }: ViewProps) {
  const { code } = useStore($query)
  const found = useLoad('classes', () => ask(client.GET('/api/v01/classes', {})))
  return (
    <Page title="Classes">
      {code && <JoinClass code={code} />}
      <Loaded of={found}>
        {({ classes, invitations }) => (
          <>
            {invitations.length > 0 && (
              <ul class="cards">
                {invitations.map((each) => {
                  const path = { params: { path: { id: each.id } } }
                  return (
                    <li key={each.id} class="card">
                      <h2>{each.name}</h2>
                      <p>
                        {each.role === 'teacher'
                          ? t('Invites you to teach it, since {date}', { date: day(each.invited_at) })
                          : t('Invites you to join, since {date}', { date: day(each.invited_at) })}
                      </p>
                      <div class="row">
                        <Action
                          class="small main"
                          aria-label={t('Join: {name}', { name: each.name })}
                          confirm={
                            each.role === 'teacher' &&
                            classes.some(({ id, role }) => id === each.id && role === 'student')
                              ? t(
                                  'Teach “{class}”? You are a student of it and will be none any more: you lose its exams at once.',
                                  { class: each.name },
                                )
                              : undefined
                          }
                          act={async () => {
                            await ask(client.POST('/api/v01/classes/{id}/accept', path))
                            await found.reload()
                          }}
                        >
                          Join
                        </Action>
                        <Action
                          class="small"
                          aria-label={t('Decline: {name}', { name: each.name })}
                          confirm={t('Decline to join “{class}”?', { class: each.name })}
                          act={async () => {
                            await ask(client.DELETE('/api/v01/classes/{id}/invitation', path))
                            await found.reload()
                          }}
                        >
                          Decline
                        </Action>
                      </div>
                    </li>
                  )
                })}
              </ul>
            )}
            {classes.length === 0 ? (
              <Empty title="You are in no class yet">
                <p>
                  {isAdministrator(user)
                    ? t('<a>Create one</a> to teach it, or join one by its code.', {
                        a: (inner) => <a href="/desk/teach/classes">{inner}</a>,
                      })
                    : 'Your teacher has a code with which you join: type it below, or open their link.'}
                </p>
              </Empty>
            ) : (
              <ul class="cards">
                {classes.map((each) => (
                  <li key={each.id} class="card">
                    <h2>
                      <a href={`/desk/classes/${each.id}`}>{each.name}</a>
                    </h2>
                    <p>
                      {each.role === 'teacher'
                        ? t('You teach it · {count, plural, one {# student} other {# students}}', {
                            count: each.students,
                          })
                        : t('You are a student · {count, plural, one {# student} other {# students}}', {
                            count: each.students,
                          })}
                    </p>
                    <div class="row above">
                      <Action
                        class="small"
                        aria-label={t('Leave: {name}', { name: each.name })}
                        confirm={leaveQuestion(each.name)}
                        act={async () => {
                          await ask(
                            client.DELETE('/api/v01/classes/{id}/membership', {
                              params: { path: { id: each.id } },
                            }),
                          )
                          await found.reload()
                        }}
                      >
                        Leave
                      </Action>
                    </div>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      {!code && <JoinClass code={undefined} />}
    </Page>
  )
}
