/** The few pages of this service: plain HTML that works without scripts (contract §2). */

/** Text as HTML; what `html` made stays as it is. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** HTML from a template whose values are escaped. */
function html(parts: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html {
  const rendered = values.map((value) =>
    Array.isArray(value)
      ? value.map(({ text }) => text).join('')
      : value instanceof Html
        ? value.text
        : escapeText(value),
  )
  return new Html(String.raw({ raw: parts }, ...rendered))
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center }
  main { width: min(22rem, 100vw - 2rem); padding: 2rem 0 }
  h1 { font-size: 1.5rem; margin: 0 0 1rem }
  label { display: block; margin: .75rem 0 .25rem; font-weight: 600 }
  small { display: block; opacity: .75 }
  input, button { box-sizing: border-box; width: 100%; padding: .6rem; font: inherit; border: 1px solid #767676; border-radius: .4rem }
  button { margin-top: 1.25rem; border: 0; background: #1d4ed8; color: #fff; font-weight: 600; cursor: pointer }
  :focus-visible { outline: 3px solid #60a5fa; outline-offset: 2px }
  [role=alert] { border-left: 4px solid #dc2626; padding: .5rem .75rem; margin: 0 0 1rem }
  [role=status] { border-left: 4px solid #16a34a; padding: .5rem .75rem; margin: 0 0 1rem }
`

function layout(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Exam Practice</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text
}

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
