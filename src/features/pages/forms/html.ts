/** The few pages of this service: plain HTML that works without scripts. */
import { Html, html, layout } from '../../../formats/html.ts'

interface Field {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'hidden'
  autocomplete?: string
  hint?: string
  optional?: true
}

interface Form {
  title: string
  button: string
  fields: Field[]
  links: [href: string, text: string][]
}

const USERNAME: Field = { name: 'username', label: 'Username or e-mail address', autocomplete: 'username' }
const PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
}
const EMAIL: Field = { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email' }
const NEW_PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  hint: '8 to 128 characters',
}

/** Each form by its path; it is posted to the same path. */
export const FORMS = {
  '/login': {
    title: 'Sign in',
    button: 'Sign in',
    fields: [USERNAME, PASSWORD],
    links: [
      ['/create_account', 'Create an account'],
      ['/forgot_password', 'Forgot your password?'],
    ],
  },
  '/admin/login': {
    title: 'Administrator sign-in',
    button: 'Sign in',
    fields: [USERNAME, PASSWORD],
    links: [['/login', 'Sign in as a student']],
  },
  '/create_account': {
    title: 'Create an account',
    button: 'Create account',
    fields: [
      {
        name: 'username',
        label: 'Username',
        autocomplete: 'username',
        hint: '3 to 32 letters, digits, dots, dashes or underscores',
      },
      EMAIL,
      { name: 'full_name', label: 'Full name', autocomplete: 'name', optional: true },
      NEW_PASSWORD,
    ],
    links: [['/login', 'Sign in instead']],
  },
  '/forgot_password': {
    title: 'Forgot your password?',
    button: 'Send me a link',
    fields: [EMAIL],
    links: [['/login', 'Sign in']],
  },
  '/reset_password': {
    title: 'Choose a new password',
    button: 'Change password',
    fields: [
      { name: 'token', label: '', type: 'hidden' },
      { ...NEW_PASSWORD, name: 'new_password', label: 'New password' },
    ],
    links: [['/forgot_password', 'Send me another link']],
  },
} as const satisfies Record<string, Form>

export type FormPath = keyof typeof FORMS

export interface FormState {
  /** What went wrong, or what has been done. */
  alert?: string
  status?: string
  /** The typed values; passwords are never shown again. */
  values?: Record<string, unknown>
  /** Accounts that anybody may try, with the one password that they share. */
  demo?: { people: { username: string; what: string }[]; password: string } | undefined
}

export function renderForm(path: FormPath, { alert, status, values = {}, demo }: FormState = {}): string {
  const { title, button, fields, links }: Form = FORMS[path]
  return layout(
    title,
    html`${alert === undefined ? '' : html`<p class="notice bad" role="alert">${alert}</p>`}
${status === undefined ? '' : html`<p class="notice" role="status">${status}</p>`}
<form method="post" action="${path}">
${fields.map((field) => renderField(field, values[field.name]))}
${renderNext(values.next)}<button class="main">${button}</button>
</form>
<p class="links">${links.map(([href, text]) => html`<a href="${withNext(href, values.next)}">${text}</a> `)}</p>
${path === '/login' && demo ? renderDemo(demo, values.next) : ''}`,
  )
}

/** One form for each account, so that it works without scripts. */
function renderDemo({ people, password }: NonNullable<FormState['demo']>, next: unknown): Html {
  return html`<section class="demo" aria-labelledby="demo">
<h2 id="demo">Just looking? Come in as</h2>
<ul>
${people.map(
  ({ username, what }) => html`<li><form method="post" action="/login">
<input type="hidden" name="username" value="${username}"><input type="hidden" name="password" value="${password}">${renderNext(next)}
<button><strong>${username}</strong> <small>${what}</small></button>
</form></li>
`,
)}
</ul>
</section>`
}

/** Where to go on after signing in. */
function renderNext(next: unknown): Html {
  return isOwnPage(next) ? html`<input type="hidden" name="next" value="${next}">` : new Html('')
}

function withNext(href: string, next: unknown): string {
  return isOwnPage(next) ? `${href}?${new URLSearchParams({ next })}` : href
}

/** Whether it is a page of the desk: no other address is redirected to. */
export function isOwnPage(next: unknown): next is string {
  return typeof next === 'string' && /^\/(desk|exam)\/[\w/-]*$/.test(next)
}

function renderField(
  { name, label, type = 'text', autocomplete, hint, optional }: Field,
  typed: unknown,
): Html {
  const value = type !== 'password' && typeof typed === 'string' ? typed : ''
  if (type === 'hidden') return html`<input type="hidden" name="${name}" value="${value}">`
  return html`<div><label for="${name}">${label}${optional ? ' (optional)' : ''}</label>
${hint ? html`<small id="${name}-hint">${hint}</small>` : ''}
<input id="${name}" name="${name}" type="${type}" value="${value}"${autocomplete ? html` autocomplete="${autocomplete}"` : ''}${hint ? html` aria-describedby="${name}-hint"` : ''}${optional ? '' : new Html(' required')}></div>
`
}
