import { useState } from 'preact/hooks'
import { type Answer, ask, client, toFormData } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Choice, Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Page } from '../../../components/page/page.tsx'
import { ROLES } from '../../../roles.ts'
import { t } from '../../../texts.ts'

type ImportedAccounts = Answer<'/api/v01/admin/users/import', 'post'>

/** Accounts that an administrator makes for others, one by one or from a file. */
export default function NewUsers() {
  return (
    <Page
      title="New accounts"
      actions={
        <a class="button" href="/desk/teach/users">
          Users and roles
        </a>
      }
    >
      <div class="two">
        <OneAccount />
        <ImportAccounts />
      </div>
    </Page>
  )
}

function OneAccount() {
  return (
    <section class="sheet" aria-labelledby="one">
      <h2 id="one">One account</h2>
      <Form
        button="Create"
        draft="user-new"
        clears
        send={async ({ username, email, full_name, role, password }) => {
          const body = {
            username: String(username),
            email: String(email),
            role: role as (typeof ROLES)[number][0],
            ...(full_name === '' ? {} : { full_name: String(full_name) }),
            ...(password === '' ? {} : { password: String(password) }),
          }
          const { user } = await ask(client.POST('/api/v01/admin/users', { body }))
          return t('{name} is created', { name: user.username })
        }}
      >
        <Field
          label="Username"
          name="username"
          autoComplete="off"
          hint="3 to 32 letters from a to z, digits, dots, dashes or underscores"
          required
        />
        <Field label="E-mail address" name="email" type="email" autoComplete="off" required />
        <Field label="Full name" name="full_name" autoComplete="off" />
        <Choice label="Role" name="role" options={ROLES} />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          hint="8 to 128 characters. Empty: they are mailed a link to choose one"
        />
      </Form>
    </section>
  )
}

function ImportAccounts() {
  const [tried, setTried] = useState<{ answer: ImportedAccounts; file: File }>()
  async function send(file: File, isDry: boolean): Promise<ImportedAccounts> {
    const answer = await ask(
      client.POST('/api/v01/admin/users/import', {
        params: { query: isDry ? { dry_run: true } : {} },
        body: toFormData({ file }),
      }),
    )
    setTried({ answer, file })
    return answer
  }
  return (
    <section class="sheet" aria-labelledby="many">
      <h2 id="many">From a file</h2>
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
          hint="A CSV with the columns email, username, full_name and role (user, admin or user,admin); only email is needed. They get no mail: they choose a password by “Forgot your password?”."
          onChange={() => setTried(undefined)}
        />
      </Form>
      {tried && <Found answer={tried.answer} />}
      {tried?.answer.dry_run && tried.answer.created > 0 && (
        <div class="row">
          <Action
            class="main"
            act={async () =>
              t('{count, plural, one {# account created} other {# accounts created}}', {
                count: (await send(tried.file, false)).created,
              })
            }
          >
            {t('{count, plural, one {Create # account} other {Create # accounts}}', {
              count: tried.answer.created,
            })}
          </Action>
        </div>
      )}
    </section>
  )
}

function Found({ answer: { created, errors, dry_run } }: { answer: ImportedAccounts }) {
  return (
    <div class="stack tight" role="status">
      <p class={`notice ${errors.length > 0 ? 'warn' : ''}`}>
        {dry_run
          ? t(
              '{created, plural, one {# account can be created} other {# accounts can be created}}{left, plural, =0 {} one {, # row left out} other {, # rows left out}}.',
              { created, left: errors.length },
            )
          : t(
              '{created, plural, one {# account created} other {# accounts created}}{left, plural, =0 {} one {, # row left out} other {, # rows left out}}.',
              { created, left: errors.length },
            )}
      </p>
      {errors.length > 0 && (
        <ul class="errors">
          {errors.slice(0, 50).map((each) => (
            <li key={each} lang="en">
              {each}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
