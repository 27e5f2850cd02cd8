/** The few pages of this service: plain HTML that works without scripts. */
import type { Core } from '../../core.ts'
import { type AppError, CATALOGUE, type ErrorCode } from '../../errors.ts'
import { Html, html, layout } from '../../formats/html.ts'
import { type Say, text } from '../../formats/translations.ts'
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../demo/demo-accounts.ts'

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
  intro?: string
  button: string
  fields: Field[]
  links: [href: string, text: string][]
}

const USERNAME: Field = {
  name: 'username',
  label: text('Username or e-mail address'),
  autocomplete: 'username',
}
const PASSWORD: Field = {
  name: 'password',
  label: text('Password'),
  type: 'password',
  autocomplete: 'current-password',
}
const EMAIL: Field = { name: 'email', label: text('E-mail address'), type: 'email', autocomplete: 'email' }
const NEW_PASSWORD: Field = {
  name: 'password',
  label: text('Password'),
  type: 'password',
  autocomplete: 'new-password',
  hint: text('8 to 128 characters'),
}

/** Each form by its path; it is posted to the same path. */
export const FORMS = {
  '/login': {
    title: text('Sign in'),
    button: text('Sign in'),
    fields: [USERNAME, PASSWORD],
    links: [
      ['/create_account', text('Create an account')],
      ['/forgot_password', text('Forgot your password?')],
    ],
  },
  '/admin/login': {
    title: text('Administrator sign-in'),
    button: text('Sign in'),
    fields: [USERNAME, PASSWORD],
    links: [['/login', text('Sign in as a student')]],
  },
  '/create_account': {
    title: text('Create an account'),
    button: text('Create account'),
    fields: [
      {
        name: 'username',
        label: text('Username'),
        autocomplete: 'username',
        hint: text('3 to 32 letters from a to z, digits, dots, dashes or underscores'),
      },
      EMAIL,
      { name: 'full_name', label: text('Full name'), autocomplete: 'name', optional: true },
      NEW_PASSWORD,
    ],
    links: [['/login', text('Sign in instead')]],
  },
  '/forgot_password': {
    title: text('Forgot your password?'),
    button: text('Send me a link'),
    fields: [EMAIL],
    links: [['/login', text('Sign in')]],
  },
  '/reset_password': {
    title: text('Choose a new password'),
    button: text('Change password'),
    fields: [
      { name: 'token', label: '', type: 'hidden' },
      { ...NEW_PASSWORD, name: 'new_password', label: text('New password') },
    ],
    links: [['/forgot_password', text('Send me another link')]],
  },
  '/confirm_address': {
    title: text('Is this account yours?'),
    intro: text(
      'Say so only if you made it. Its password ends, and everything that is signed in to it is signed out.',
    ),
    button: text('It’s mine'),
    fields: [{ name: 'token', label: '', type: 'hidden' }],
    links: [],
  },
} as const satisfies Record<string, Form>

export type FormPath = keyof typeof FORMS

export interface FormState {
  /** What went wrong, or what has been done. */
  alert?: string
  /** The failure's code, for whoever is asked for help. */
  code?: string
  status?: string
  /** The typed values; passwords are never shown again. */
  values?: Record<string, unknown>
  /** Accounts that anybody may try, with the one password that they share. */
  demo?: { people: { username: string; what: string }[]; password: string } | undefined
  /** Where people may sign in elsewhere; `only`: passwords are for accounts made at the command line. */
  provider?: { name: string; only: boolean } | undefined
}

export interface Doors extends Pick<FormState, 'demo' | 'provider'> {
  /** The forms that are off, and why. */
  closed: ReadonlyMap<string, ErrorCode>
  /** Whose addresses can have an account; empty: everybody's. */
  domains: string[]
}

/** The ways in that the pages show. */
export function describeDoors({ config: { demo, oidc, registration } }: Pick<Core, 'config'>): Doors {
  const closed = new Map<string, ErrorCode>()
  if (registration === 'closed') closed.set('/create_account', 'registration_closed')
  if (oidc?.only)
    for (const form of ['/create_account', '/forgot_password', '/reset_password'])
      closed.set(form, 'oidc_only')
  return {
    demo: demo && !oidc?.only ? { people: DEMO_PEOPLE, password: DEMO_PASSWORD } : undefined,
    provider: oidc && { name: oidc.name, only: oidc.only },
    closed,
    domains: typeof registration === 'object' ? registration.domains : [],
  }
}

export function renderForm(t: Say, path: FormPath, state: FormState & Partial<Doors> = {}): string {
  const { alert, code, status, values = {}, demo, provider, closed, domains = [] } = state
  const { title, intro, button, fields, links }: Form = FORMS[path]
  const isSignIn = path === '/login' || path === '/admin/login'
  const form = html`<form method="post" action="${path}">
${intro === undefined ? '' : html`<p>${t(intro)}</p>`}
${path === '/create_account' && domains.length > 0 ? html`<p>${t('Accounts here are for addresses of {domains}.', { domains: domains.join(', ') })}</p>` : ''}
${fields.map((field) => renderField(t, field, values[field.name]))}
${renderNext(values.next)}<button class="main">${t(button)}</button>
</form>`
  const open = links.filter(([href]) => !closed?.has(href))
  return layout(
    t,
    t(title),
    html`${alert === undefined ? '' : html`<p class="notice bad" role="alert">${alert}${code === undefined ? '' : html` <small>(${code})</small>`}</p>`}
${status === undefined ? '' : html`<p class="notice" role="status">${status}</p>`}
${isSignIn && provider ? renderProvider(t, provider, path === '/admin/login' ? '/admin' : values.next) : ''}
${isSignIn && provider?.only ? html`<details><summary>${t('Sign in with a password')}</summary>${form}</details>` : form}
<p class="links">${open.map(([href, name]) => html`<a href="${withNext(href, values.next)}">${t(name)}</a> `)}<a href="/privacy">${t('Privacy')}</a></p>
${path === '/login' && demo ? renderDemo(t, demo, values.next) : ''}`,
  )
}

function renderProvider(t: Say, { name }: NonNullable<FormState['provider']>, next: unknown): Html {
  const query = typeof next === 'string' && next !== '' ? `?${new URLSearchParams({ next })}` : ''
  return html`<a class="button main" href="/auth/oidc/start${query}">${t('Sign in with {name}', { name })}</a>
<p class="or"><span>${t('or')}</span></p>`
}

export function renderLogout(t: Say): string {
  return layout(
    t,
    t('Sign out?'),
    html`<p>${t('You will be signed out in this browser.')}</p>
<form method="post" action="/logout">
<button class="main">${t('Sign out')}</button>
</form>
<p class="links"><a href="/">${t('Stay signed in')}</a></p>`,
  )
}

/** One form for each account, so that it works without scripts. */
function renderDemo(t: Say, { people, password }: NonNullable<FormState['demo']>, next: unknown): Html {
  return html`<section class="demo" aria-labelledby="demo">
<h2 id="demo">${t('Just looking? Come in as')}</h2>
<ul>
${people.map(
  ({ username, what }) => html`<li><form method="post" action="/login">
<input type="hidden" name="username" value="${username}"><input type="hidden" name="password" value="${password}">${renderNext(next)}
<button><strong>${username}</strong> <small>${t(what)}</small></button>
</form></li>
`,
)}
</ul>
</section>`
}

/** A failure in words for the person at the form. What differs from the code's usual text is said in English alone. */
export function explain(t: Say, path: FormPath, { code, message, details }: AppError): string {
  const fields = details.errors as { path: string; message: string }[] | undefined
  const isEnglish = t.language === 'en'
  if (!fields) return isEnglish ? message : t(CATALOGUE[code][1])
  return fields
    .map(({ path: pointer, message: fault }) => {
      const name = pointer.slice(1)
      const field = (FORMS[path].fields as readonly Field[]).find((each) => each.name === name)
      const label = field?.label ? t(field.label) : name
      if (isEnglish) return `${label}: ${fault}`
      return field?.hint ? `${label}: ${t(field.hint)}` : t('{field}: this is not accepted', { field: label })
    })
    .join('; ')
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
  return typeof next === 'string' && /^\/(desk|exam)\/[\w/-]*(\?code=[\w-]{1,100})?$/.test(next)
}

function renderField(
  t: Say,
  { name, label, type = 'text', autocomplete, hint, optional }: Field,
  typed: unknown,
): Html {
  const value = type !== 'password' && typeof typed === 'string' ? typed : ''
  if (type === 'hidden') return html`<input type="hidden" name="${name}" value="${value}">`
  return html`<div><label for="${name}">${optional ? t('{label} (optional)', { label: t(label) }) : t(label)}</label>
${hint ? html`<small id="${name}-hint">${t(hint)}</small>` : ''}
<input id="${name}" name="${name}" type="${type}" value="${value}"${autocomplete ? html` autocomplete="${autocomplete}"` : ''}${hint ? html` aria-describedby="${name}-hint"` : ''}${optional ? '' : new Html(' required')}></div>
`
}
