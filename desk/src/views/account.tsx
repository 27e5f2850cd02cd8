import { useStore } from '@nanostores/preact'
import { ask, client } from '../client.ts'
import { Action } from '../components/forms/button.tsx'
import { Area, Choice, Field } from '../components/forms/fields.tsx'
import { Form } from '../components/forms/form.tsx'
import { Loaded } from '../components/page/load-states.tsx'
import { Page } from '../components/page/page.tsx'
import { useLoad } from '../components/page/use-load.ts'
import { download } from '../download.ts'
import { moment } from '../format.ts'
import { $theme, setTheme, type Theme } from '../shell/theme.ts'
import { signOut } from '../sign-in.ts'

/** The person's own account: name, password, devices, theme, sign-out and deletion. */
export default function Account() {
  const me = useLoad('me', async () => (await ask(client.GET('/api/v01/auth/me'))).data)
  const theme = useStore($theme)
  return (
    <Page title="Account" actions={<Action act={signOut}>Sign out</Action>}>
      <Loaded of={me}>
        {(self) => (
          <div class="two">
            <section class="sheet" aria-labelledby="profile">
              <h2 id="profile">Profile</h2>
              <p>
                <strong>{self.username}</strong> · {self.role}
              </p>
              <Form
                button="Save"
                send={async ({ full_name, email, current_password }) => {
                  const isMoved = email !== self.email
                  const body = {
                    full_name: String(full_name),
                    ...(isMoved ? { email: String(email), current_password: String(current_password) } : {}),
                  }
                  await ask(client.PATCH('/api/v01/account', { body }))
                  await me.reload()
                  return 'Saved'
                }}
              >
                <Field label="Full name" name="full_name" value={self.full_name} autoComplete="name" />
                <Field
                  label="E-mail address"
                  name="email"
                  type="email"
                  value={self.email}
                  autoComplete="email"
                />
                <Field
                  label="Current password"
                  name="current_password"
                  type="password"
                  autoComplete="current-password"
                  hint="Only to change the e-mail address"
                />
              </Form>
            </section>
            <section class="sheet" aria-labelledby="password">
              <h2 id="password">Password</h2>
              <Form
                button="Change password"
                clears
                send={async ({ current_password, new_password }) => {
                  const body = {
                    current_password: String(current_password),
                    new_password: String(new_password),
                  }
                  await ask(client.PATCH('/api/v01/account', { body }))
                  return 'The password is changed; all other devices are signed out'
                }}
              >
                <Field
                  label="Current password"
                  name="current_password"
                  type="password"
                  autoComplete="current-password"
                  required
                />
                <Field
                  label="New password"
                  name="new_password"
                  type="password"
                  autoComplete="new-password"
                  hint="8 to 128 characters"
                  required
                />
              </Form>
            </section>
            <section class="sheet" aria-labelledby="looks">
              <h2 id="looks">How it looks</h2>
              <Choice
                label="Colours"
                value={theme}
                options={[
                  ['auto', 'As this machine does'],
                  ['light', 'Light'],
                  ['dark', 'Dark'],
                ]}
                onChange={({ currentTarget }) => setTheme(currentTarget.value as Theme)}
              />
            </section>
            {self.role !== 'user,admin' && (
              <AskAccess username={self.username} email={self.email} role={self.role} />
            )}
            <Devices />
            <TakeAlong />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Devices() {
  const found = useLoad('sessions', () => ask(client.GET('/api/v01/account/sessions')))
  return (
    <section class="sheet" aria-labelledby="devices">
      <h2 id="devices">Signed in on</h2>
      <Loaded of={found}>
        {({ sessions }) => (
          <ul class="list">
            {sessions.map((each) => (
              <li key={each.id} class="row spread">
                <span>
                  {each.kind === 'web' ? 'A browser’s sign-in' : 'An app or this desk'}
                  {each.current && <span class="chip good">This one</span>}
                  <br />
                  <small>
                    {each.ip} · last used {moment(each.last_used_at)}
                  </small>
                </span>
                {!each.current && (
                  <Action
                    class="small"
                    act={async () => {
                      await ask(
                        client.DELETE('/api/v01/account/sessions/{id}', {
                          params: { path: { id: each.id } },
                        }),
                      )
                      await found.reload()
                    }}
                  >
                    Sign out
                  </Action>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

function AskAccess({ username, email, role }: { username: string; email: string; role: 'user' | 'admin' }) {
  const wanted = role === 'user' ? (['admin', 'user,admin'] as const) : (['user,admin'] as const)
  return (
    <section class="sheet" aria-labelledby="access">
      <h2 id="access">Ask for more access</h2>
      <Form
        button="Ask"
        clears
        send={async ({ requested_access, user_reason }) => {
          const body = {
            username,
            email,
            current_access: role,
            requested_access: requested_access as (typeof wanted)[number],
            user_reason: String(user_reason),
          }
          await ask(client.POST('/api/v01/account/access-requests', { body }))
          return 'Asked. An administrator decides.'
        }}
      >
        <Choice
          label="Access"
          name="requested_access"
          options={wanted.map(
            (each) => [each, each === 'admin' ? 'Teacher only' : 'Student and teacher'] as const,
          )}
        />
        <Area label="Why?" name="user_reason" required maxLength={4000} />
      </Form>
    </section>
  )
}

function TakeAlong() {
  return (
    <section class="sheet" aria-labelledby="leave">
      <h2 id="leave">What is yours</h2>
      <Action act={() => download(client.GET('/api/v01/account/export', { parseAs: 'blob' }), 'account.zip')}>
        Take everything along (zip)
      </Action>
      <Form
        button="Delete my account"
        send={async ({ confirm }) => {
          await ask(client.DELETE('/api/v01/account', { body: { confirm: String(confirm) as 'DELETE' } }))
          await signOut()
        }}
      >
        <Field
          label="To delete your account, type DELETE"
          name="confirm"
          autoComplete="off"
          hint="Attempts, notes and conversations with the tutor are erased. What you wrote to others stays, without your name."
        />
      </Form>
    </section>
  )
}
