import { html, layout } from '../../../formats/html.ts'

/** Shown while the desk is not built. */
export function renderUnbuilt(username: string | undefined, explanation: string): string {
  return layout(
    'One moment',
    html`${username === undefined ? '' : html`<p>You are signed in as <strong>${username}</strong>.</p>`}
<p class="notice" role="status">${explanation}</p>
<p><a href="/desk/">Open the desk</a>, or read <a href="/docs">the API reference</a>.</p>
<form method="post" action="/logout"><button>Sign out</button></form>`,
  )
}
