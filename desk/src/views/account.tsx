import { useStore } from '@nanostores/preact'
import { type Answer, ask, client } from '../client.ts'
import { Action } from '../components/forms/button.tsx'
import { ChangeForm } from '../components/forms/change-form.tsx'
import { Area, Choice, Field } from '../components/forms/fields.tsx'
import { Form, fieldsOf } from '../components/forms/form.tsx'
import { Loaded } from '../components/page/load-states.tsx'
import { Page } from '../components/page/page.tsx'
import { useLoad } from '../components/page/use-load.ts'
import { download } from '../download.ts'
import { moment } from '../format.ts'
import { isPlaceholder } from '../placeholder.ts'
import { isAdministrator, nameOfRole } from '../roles.ts'
import { $theme, setTheme, type Theme } from '../shell/theme.ts'
import { signOut } from '../sign-in.ts'
import { t } from '../texts.ts'
import { NoticeWishes } from './notice-wishes.tsx'
import { Notifications } from './notifications.tsx'

type PushSettings = Answer<'/api/v01/push', 'get'>['settings']

/** The person's own account: name, password, devices, theme, sign-out and deletion. */
export default function Account() {
  const me = useLoad('me', async () => (await ask(client.GET('/api/v01/auth/me'))).data)
  return (
    <Page title="Account" actions={<Action act={signOut}>Sign out</Action>}>
      <Loaded of={me}>
        {(self) => (
          <div class="two even">
            <section class="sheet" aria-labelledby="profile">
              <h2 id="profile">Profile</h2>
              <p>
                <strong>{self.username}</strong> · {nameOfRole(self.role)}
              </p>
              <ChangeForm
                of={{ full_name: self.full_name, email: isPlaceholder(self.email) ? '' : self.email }}
                button="Save"
                reload={me.reload}
                read={({ full_name, email }) => ({ full_name: String(full_name), email: String(email) })}
                send={({ email, ...others }, _was, form) => {
                  const { current_password } = fieldsOf(form)
                  const moved = email ? { email, ...passwordOf({ current_password }) } : {}
                  const body = { ...others, ...moved }
                  return Object.keys(body).length === 0
                    ? Promise.resolve()
                    : ask(client.PATCH('/api/v01/account', { body }))
                }}
              >
                {(shown) => (
                  <>
                    <Field label="Full name" name="full_name" value={shown.full_name} autoComplete="name" />
                    {isPlaceholder(self.email) && (
                      <p class="notice">
                        Somebody proved that the e-mail address of this account is theirs. It keeps everything
                        else; you sign in by your username, and can give it another address.
                      </p>
                    )}
                    <Field
                      label="E-mail address"
                      name="email"
                      type="email"
                      value={shown.email}
                      autoComplete="email"
                    />
                    {self.has_password && <CurrentPassword hint="Only to change the e-mail address" />}
                  </>
                )}
              </ChangeForm>
            </section>
            <section class="sheet" aria-labelledby="password">
              <h2 id="password">Password</h2>
              <Form
                button={self.has_password ? 'Change password' : 'Set a password'}
                clears
                send={async ({ current_password, new_password }) => {
                  const body = {
                    ...passwordOf({ current_password }),
                    new_password: String(new_password),
                  }
                  await ask(client.PATCH('/api/v01/account', { body }))
                  await me.reload()
                  return t('The password is changed; all other devices are signed out')
                }}
              >
                {self.has_password && <CurrentPassword required />}
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
            <Appearance />
            {self.role !== 'user,admin' && (
              <AskAccess username={self.username} email={self.email} role={self.role} />
            )}
            <Devices />
            <NoticeWishes />
            <Notifications />
            <TakeAlong needsPassword={self.has_password && isAdministrator(self)} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** Each in itself, so that its speakers find it. */
const LANGUAGES: Record<NonNullable<PushSettings['language']>, string> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  hi: 'हिन्दी',
  ar: 'العربية',
}

function Appearance() {
  const theme = useStore($theme)
  const found = useLoad('language', async () => (await ask(client.GET('/api/v01/push'))).settings)
  return (
    <section class="sheet stack" aria-labelledby="looks">
      <h2 id="looks">Appearance</h2>
      <Choice
        label="Colours"
        value={theme}
        options={[
          ['auto', t('As the device')],
          ['light', t('Light')],
          ['dark', t('Dark')],
        ]}
        onChange={({ currentTarget }) => setTheme(currentTarget.value as Theme)}
      />
      <Loaded of={found}>
        {({ language }) => (
          <Form
            button="Change language"
            send={async (fields) => {
              const body = { language: (fields.language || null) as PushSettings['language'] }
              await ask(client.PATCH('/api/v01/push/settings', { body }))
              // The page brings the texts of one language along.
              location.reload()
            }}
          >
            <Choice
              label="Language"
              name="language"
              value={language ?? ''}
              options={[['', t('As the browser')], ...Object.entries(LANGUAGES)]}
              hint="Of mails and notifications too"
            />
          </Form>
        )}
      </Loaded>
    </section>
  )
}

function CurrentPassword(props: { hint?: string; required?: boolean }) {
  return (
    <Field
      label="Current password"
      name="current_password"
      type="password"
      autoComplete="current-password"
      {...props}
    />
  )
}

/** What of a form goes along with a request that the account's owner has to confirm. */
function passwordOf({ current_password: typed }: { current_password?: FormDataEntryValue | undefined }) {
  return typed === undefined ? {} : { current_password: String(typed) }
}

function Devices() {
  const found = useLoad('sessions', () => ask(client.GET('/api/v01/account/sessions')))
  return (
    <section class="sheet" aria-labelledby="devices">
      <h2 id="devices">Devices</h2>
      <Loaded of={found}>
        {({ sessions }) => (
          <ul class="list">
            {sessions.map((each) => (
              <li key={each.id} class="row spread">
                <span>
                  {each.kind === 'web' ? 'Browser' : 'App'}{' '}
                  {each.current && <span class="chip good">This device</span>}
                  <br />
                  <small>
                    {t('{address} · last used {time}', {
                      address: each.ip ?? '–',
                      time: moment(each.last_used_at),
                    })}
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
      <h2 id="access">Request another role</h2>
      <Form
        button="Request access"
        clears
        draft="access-request"
        send={async ({ requested_access, user_reason }) => {
          const body = {
            username,
            email,
            current_access: role,
            requested_access: requested_access as (typeof wanted)[number],
            user_reason: String(user_reason),
          }
          await ask(client.POST('/api/v01/account/access-requests', { body }))
          return t('Requested. An administrator decides.')
        }}
      >
        <Choice
          label="Role"
          name="requested_access"
          options={wanted.map(
            (each) =>
              [each, each === 'admin' ? t('Administrator only') : t('Student and administrator')] as const,
          )}
        />
        <Area label="Reason" name="user_reason" required maxLength={4000} />
      </Form>
    </section>
  )
}

function TakeAlong({ needsPassword }: { needsPassword: boolean }) {
  return (
    <section class="sheet" aria-labelledby="leave">
      <h2 id="leave">Your data</h2>
      <p>
        <a href="/privacy" target="_blank" rel="noreferrer">
          What is stored, for how long, and who sees it
        </a>
      </p>
      <Action act={() => download(client.GET('/api/v01/account/export', { parseAs: 'blob' }), 'account.zip')}>
        Download my data (zip)
      </Action>
      <Form
        button="Delete my account"
        isDangerous
        send={async ({ confirm, current_password }) => {
          const body = { confirm: String(confirm), ...passwordOf({ current_password }) }
          await ask(client.DELETE('/api/v01/account', { body }))
          await signOut()
        }}
      >
        <Field
          label="To delete your account, type DELETE"
          name="confirm"
          autoComplete="off"
          hint="Attempts, notes and conversations with the tutor are erased. What you wrote to others stays, without your name."
        />
        {needsPassword && <CurrentPassword required />}
      </Form>
    </section>
  )
}
