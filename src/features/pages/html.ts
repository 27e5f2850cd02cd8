/** The few pages of this service: plain HTML that works without scripts (contract §2). */
import { Html, html, layout } from '../../html.ts'

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

/** Each form by its path, to which it is posted too. */
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
  /** What had been typed; passwords are never shown again. */
  values?: Record<string, unknown>
}

export function renderForm(path: FormPath, { alert, status, values = {} }: FormState = {}): string {
  const { title, button, fields, links }: Form = FORMS[path]
  return layout(
    title,
    html`${alert === undefined ? '' : html`<p role="alert">${alert}</p>`}
${status === undefined ? '' : html`<p role="status">${status}</p>`}
<form method="post" action="${path}">
${fields.map((field) => renderField(field, values[field.name]))}
<button>${button}</button>
</form>
${links.map(([href, text]) => html`<p><a href="${href}">${text}</a></p>`)}`,
  )
}

function renderField(
  { name, label, type = 'text', autocomplete, hint, optional }: Field,
  typed: unknown,
): Html {
  const value = type !== 'password' && typeof typed === 'string' ? typed : ''
  if (type === 'hidden') return html`<input type="hidden" name="${name}" value="${value}">`
  return html`<label for="${name}">${label}${optional ? ' (optional)' : ''}</label>
${hint ? html`<small id="${name}-hint">${hint}</small>` : ''}
<input id="${name}" name="${name}" type="${type}" value="${value}"${autocomplete ? html` autocomplete="${autocomplete}"` : ''}${hint ? html` aria-describedby="${name}-hint"` : ''}${optional ? '' : new Html(' required')}>
`
}

/** What somebody sees who is signed in: this service is used through its interface. */
export function renderHome(username: string, use: string): string {
  return layout(
    'Exam Practice',
    html`<p>You are signed in as <strong>${username}</strong>.</p>
<p>Apps use this service through <code>${use}</code>; <a href="/docs">the API reference</a> shows every call.</p>
<form method="post" action="/logout"><button>Sign out</button></form>`,
  )
}
