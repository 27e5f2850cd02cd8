import { type Html, html, layout } from '../formats/html.ts'
import { localDisplay } from '../formats/local-time.ts'
import { sayIn } from '../formats/translations.ts'
import type { UserResultsPage } from './user-analytics.service.ts'
import type { UserResults } from './user-analytics.store.ts'

/** The table alone, as `partial=1` gets it. */
export function renderUserTable({ users }: UserResultsPage, timezone: string): Html {
  return html`<table>
<thead><tr><th scope="col">Username</th><th scope="col">Full name</th><th scope="col">Role</th><th scope="col">Attempts</th><th scope="col">Average</th><th scope="col">Best</th><th scope="col">Last attempt</th></tr></thead>
<tbody>
${users.map((user) => renderRow(user, timezone))}
</tbody>
</table>
`
}

function renderRow(user: UserResults, timezone: string): Html {
  const last = user.lastAt ? localDisplay(user.lastAt, timezone) : '–'
  return html`<tr><th scope="row">${user.username}</th><td>${user.fullName}</td><td>${user.role}</td><td>${String(user.attempts)}</td><td>${percent(user.average)}</td><td>${percent(user.best)}</td><td>${last}</td></tr>
`
}

/** The whole page around the table: search, and the pages before and after. */
export function renderUserAnalytics(results: UserResultsPage, q: string, timezone: string): string {
  const { page, total, totalPages } = results
  return layout(
    sayIn('en'),
    'User analytics',
    html`<form method="get" action="/admin/users/analytics">
<label for="q">Username or full name</label>
<input id="q" name="q" type="search" value="${q}">
<button>Search</button>
</form>
${renderUserTable(results, timezone)}
<nav aria-label="Pages">
<span>Page ${String(page)} of ${String(Math.max(1, totalPages))}, ${String(total)} people</span>
${page > 1 ? link(q, page - 1, 'Previous') : ''}
${page < totalPages ? link(q, page + 1, 'Next') : ''}
</nav>`,
    'wide',
  )
}

function link(q: string, page: number, text: string): Html {
  return html`<a href="?${new URLSearchParams({ q, page: String(page) }).toString()}">${text}</a>`
}

function percent(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(2)} %`
}
