import { useState } from 'preact/hooks'
import { type Answer, ask, client, RequestFailed, toFormData } from '../../client.ts'
import { promptForConfirmation } from '../../components/dialogs/prompts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Area, Check, Field } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { MomentField } from '../../components/forms/moment-field.tsx'
import { Empty } from '../../components/page/load-states.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { Table } from '../../components/page/table.tsx'
import { day, moment, nameAndUsername } from '../../format.ts'
import { momentIn } from '../../moments.ts'
import { isAdministrator } from '../../roles.ts'
import { t } from '../../texts.ts'
import type { ClassTabProps } from './class-tab.ts'
import { JoinCode } from './join-code.tsx'
import { TutorMode } from './tutor-mode.tsx'

type MembersAdded = Answer<'/api/v01/classes/{id}/members', 'post'>

/** Who is in a class, and how others come in. */
export function Members({ of: one, user, reload }: ClassTabProps) {
  const { id, archived } = one.class
  return (
    <div class="stack">
      {!archived && (
        <div class="two">
          <div class="stack">
            <Code of={one} reload={reload} />
            <TutorMode of={one} reload={reload} />
          </div>
          <div class="stack">
            <Roster id={id} reload={reload} />
            <Invite id={id} reload={reload} />
            <Sight of={one} reload={reload} />
          </div>
        </div>
      )}
      {one.members.length === 0 ? (
        <Empty title="No members yet">
          {!archived && <p>Show the code in class, or invite students by e-mail or from a roster.</p>}
        </Empty>
      ) : (
        <Table
          caption="Members"
          rows={one.members}
          keyOf={(row) => row.user_id}
          columns={[
            { head: t('Name'), cell: (row) => nameAndUsername(row) },
            { head: t('Role'), cell: (row) => (row.role === 'teacher' ? t('Teacher') : t('Student')) },
            { head: t('Since'), cell: (row) => day(row.joined_at) },
            {
              head: t('Change'),
              cell: (row) =>
                archived || (row.role === 'teacher' && !isAdministrator(user)) ? (
                  ''
                ) : (
                  <Action
                    class="small bad"
                    aria-label={t('Remove: {name}', { name: row.full_name })}
                    confirm={t(
                      'Remove {name} from this class? They lose its exams at once; what they have begun can be finished, and their marks stay in the gradebook.',
                      { name: row.full_name },
                    )}
                    act={async () => {
                      const path = { id, user_id: row.user_id }
                      await ask(
                        client.DELETE('/api/v01/classes/{id}/members/{user_id}', { params: { path } }),
                      )
                      await reload()
                    }}
                  >
                    Remove
                  </Action>
                ),
            },
          ]}
        />
      )}
      {one.invited.length > 0 && (
        <Table
          caption="Invited"
          rows={one.invited}
          keyOf={(row) => row.id}
          columns={[
            { head: t('Invited'), cell: (row) => row.email },
            { head: t('Name'), cell: (row) => row.full_name },
            { head: t('Since'), cell: (row) => day(row.invited_at) },
            {
              head: t('Change'),
              cell: (row) => (
                <Action
                  class="small"
                  aria-label={t('Withdraw: {name}', { name: row.email })}
                  confirm={t('Withdraw the invitation of {email}? Its link stops working.', {
                    email: row.email,
                  })}
                  act={async () => {
                    const path = { id, invitation_id: row.id }
                    await ask(
                      client.DELETE('/api/v01/classes/{id}/invitations/{invitation_id}', {
                        params: { path },
                      }),
                    )
                    await reload()
                  }}
                >
                  Withdraw
                </Action>
              ),
            },
          ]}
        />
      )}
      <Pager of={one} total={t('{count, plural, one {# member} other {# members}}', { count: one.total })} />
    </div>
  )
}

/** The code to show on a wall. */
function Code({ of: { class: own, join_code, code_ends_at }, reload }: Pick<ClassTabProps, 'of' | 'reload'>) {
  const path = { params: { path: { id: own.id } } }
  const address = `${location.origin}/classes/join?code=${join_code}`
  return (
    <section class="sheet" aria-labelledby="code">
      <h2 id="code">Join by a code</h2>
      {join_code ? (
        <>
          <JoinCode code={join_code} address={address} name={own.name} />
          <p>
            {code_ends_at
              ? t('Students type it in “Classes”, or open <code>{address}</code>, until {time}.', {
                  address,
                  code: (inner) => <code>{inner}</code>,
                  time: moment(code_ends_at),
                })
              : t('Students type it in “Classes”, or open <code>{address}</code>.', {
                  address,
                  code: (inner) => <code>{inner}</code>,
                })}
          </p>
        </>
      ) : (
        <p>Nobody can join by a code now.</p>
      )}
      <Form
        button={join_code ? 'Replace' : 'Create a code'}
        send={async (_fields, form) => {
          const question = t('Replace the code? Nobody can join by the old one any more.')
          if (join_code && !(await promptForConfirmation(question, t('Replace')))) return false
          const make = (code: string | null) =>
            ask(
              client.POST('/api/v01/classes/{id}/code', {
                ...path,
                body: { ends_at: momentIn(form, 'ends_at'), was: { code } },
              }),
            )
          try {
            await make(join_code)
          } catch (error) {
            // Somebody else has made one meanwhile.
            if (!(error instanceof RequestFailed) || error.code !== 'changed') throw error
            const { code } = error.failure.stored as { code: string | null }
            const other = t('The code was changed meanwhile: it is {code}. Replace that?', {
              code: code ?? t('None'),
            })
            if (await promptForConfirmation(other, t('Replace'))) await make(code)
          }
          return reload()
        }}
        aside={
          join_code && (
            <Action
              class="bad"
              confirm={t('End the code? Nobody can join by it any more.')}
              act={async () => {
                await ask(client.DELETE('/api/v01/classes/{id}/code', path))
                await reload()
              }}
            >
              End
            </Action>
          )
        }
      >
        <MomentField label="Valid until" name="ends_at" hint="Empty: until you end it" />
      </Form>
    </section>
  )
}

/** Whether the students of a class see each other. */
function Sight({ of: { class: own }, reload }: Pick<ClassTabProps, 'of' | 'reload'>) {
  return (
    <section class="sheet" aria-labelledby="sight">
      <h2 id="sight">What students see</h2>
      <Form
        key={String(own.shows_members)}
        button="Save"
        send={async ({ shows_members }) => {
          await ask(
            client.PATCH('/api/v01/classes/{id}', {
              params: { path: { id: own.id } },
              body: { shows_members: shows_members !== undefined },
            }),
          )
          await reload()
          return t('Saved')
        }}
      >
        <Check
          label="Students see who else is in the class"
          name="shows_members"
          checked={own.shows_members}
        />
        <small>Otherwise they see its teachers, and in the group chat who has written there.</small>
      </Form>
    </section>
  )
}

function Invite({ id, reload }: { id: number; reload: () => Promise<void> }) {
  const [added, setAdded] = useState<MembersAdded>()
  return (
    <section class="sheet" aria-labelledby="invite">
      <h2 id="invite">Invite by e-mail</h2>
      <Form
        button="Invite"
        draft={`class-invite-${id}`}
        clears
        send={async (fields) => {
          const emails = String(fields.emails)
            .split(/[\s,;]+/)
            .filter(Boolean)
          setAdded(
            await ask(
              client.POST('/api/v01/classes/{id}/members', { params: { path: { id } }, body: { emails } }),
            ),
          )
          await reload()
        }}
      >
        <Area label="Addresses" name="emails" hint="One or many, with spaces or lines between them" />
      </Form>
      <Outcome of={added} isDry={false} />
    </section>
  )
}

function Roster({ id, reload }: { id: number; reload: () => Promise<void> }) {
  const [tried, setTried] = useState<{ answer: MembersAdded; file: File; isDry: boolean }>()
  async function send(file: File, isDry: boolean) {
    const answer = await ask(
      client.POST('/api/v01/classes/{id}/roster', {
        params: { path: { id }, query: isDry ? { dry_run: true } : {} },
        body: toFormData({ file }),
      }),
    )
    setTried({ answer, file, isDry })
    if (!isDry) await reload()
  }
  return (
    <section class="sheet" aria-labelledby="roster">
      <h2 id="roster">Roster</h2>
      <Form
        button="Preview"
        send={async ({ file }) => {
          setTried(undefined)
          await send(file as File, true)
        }}
      >
        <Field
          label="File"
          name="file"
          type="file"
          accept=".csv,text/csv"
          required
          hint="A CSV with the columns email, full_name and role; only email is needed"
          onChange={() => setTried(undefined)}
        />
      </Form>
      <Outcome of={tried?.answer} isDry={tried?.isDry ?? false} />
      {tried?.isDry && tried.answer.added + tried.answer.invited > 0 && (
        <Action class="main" act={() => send(tried.file, false)}>
          {t('Invite {count, plural, one {# person} other {# people}}', {
            count: tried.answer.added + tried.answer.invited,
          })}
        </Action>
      )}
    </section>
  )
}

function Outcome({ of: added, isDry }: { of: MembersAdded | undefined; isDry: boolean }) {
  if (!added) return null
  const { added: people, invited } = added
  return (
    <div class="notice" role="status">
      <p>
        {isDry
          ? t(
              '{invited, plural, one {# person would be invited} other {# people would be invited}}{people, plural, =0 {} one {, # would be added} other {, # would be added}}.',
              { invited, people },
            )
          : t(
              '{invited, plural, one {# person invited} other {# people invited}}{people, plural, =0 {} one {, # added} other {, # added}}.',
              { invited, people },
            )}
      </p>
      {added.errors && (
        <ul>
          {added.errors.slice(0, 50).map((each) => (
            <li key={each} lang="en">
              {each}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
