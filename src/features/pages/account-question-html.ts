import { html, layout } from '../../formats/html.ts'
import type { Say } from '../../formats/translations.ts'

/** Where people are asked whose account it is. */
export const QUESTION_PATH = '/auth/oidc/account'

interface AccountQuestion {
  /** The address that the provider has verified and the account has. */
  email: string
  provider: string
  /** What went wrong, or what has been done. */
  alert?: string | undefined
  status?: string | undefined
}

/** Asks somebody whom the provider has identified whether the account with their address is theirs. */
export function renderQuestion(t: Say, { email, provider, alert, status }: AccountQuestion): string {
  return layout(
    t,
    t('Is this account yours?'),
    html`${alert === undefined ? '' : html`<p class="notice bad" role="alert">${alert}</p>`}
${status === undefined ? '' : html`<p class="notice" role="status">${status} <a href="${QUESTION_PATH}">${t('Go on')}</a></p>`}
<p>${t('You signed in with {provider} as {email}. An account here has this address already, and nobody has confirmed whose it is.', { provider, email })}</p>
<form method="post" action="${QUESTION_PATH}">
<input type="hidden" name="email" value="${email}" autocomplete="username">
<div><label for="password">${t('Its password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<button class="main" name="answer" value="password">${t('It’s mine')}</button>
</form>
<form method="post" action="${QUESTION_PATH}">
<p id="mail-hint">${t('It’s yours, and you don’t know its password? A link to your address proves it. Its password and everything that is signed in to it end then.')}</p>
<button name="answer" value="mail" aria-describedby="mail-hint">${t('Send me a link')}</button>
</form>
<form method="post" action="${QUESTION_PATH}">
<p id="anew-hint">${t('Somebody else made it? You get an account of your own; the other one keeps its work, without your address.')}</p>
<button name="answer" value="anew" aria-describedby="anew-hint">${t('It isn’t mine')}</button>
</form>
<p class="links"><a href="/login">${t('Cancel')}</a> <a href="/privacy">${t('Privacy')}</a></p>`,
  )
}
