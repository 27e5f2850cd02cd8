import { client } from './client.ts'
import { sendWaiting } from './components/dialogs/toasts.tsx'
import { dropImages } from './kept-images.ts'
import { forgetDevice } from './push.ts'
import { dropStored } from './stored.ts'

/**
 * Signs the desk in as the person of the session cookie, which a sign-in by form has set. False: nobody is signed in,
 * by tokens or by cookie.
 */
export async function enter(): Promise<boolean> {
  const user = await known()
  const named = Number(document.documentElement.dataset.userId)
  if (user && (!named || named === user.id)) return true
  const { user: entered } = await client.session.exchange()
  return entered !== undefined || (user !== null && !named)
}

/** How long a sign-out waits for what can still be undone. */
const LONGEST_WAIT_MS = 3_000
let isSigningOut = false

/** Signs out: ends the tokens, deletes stored data, and ends the session of the cookie. */
export async function signOut(): Promise<void> {
  isSigningOut = true
  // Afterwards nobody would be there to send it.
  await Promise.race([sendWaiting(), new Promise((go) => setTimeout(go, LONGEST_WAIT_MS))])
  // Not waited for: without a network it may take long, and the worker shows nothing to nobody.
  void forgetDevice().catch(() => {})
  const owner = client.session.owner()
  await client.session.logout().catch(() => false)
  if (owner) dropStored(owner.userId)
  await dropImages().catch(() => {})
  const answer = await fetch('/logout', { method: 'POST', headers: { accept: 'application/json' } })
    .then((response): Promise<{ redirect_url?: string }> => response.json())
    .catch(() => undefined)
  // Whoever came by a school's own sign-in signs out there too.
  location.assign(answer?.redirect_url ?? '/login')
}

/** Goes to the sign-in page, which leads back here. */
export function leaveForSignIn(): void {
  // Leaving the page now would cancel requests of the sign-out.
  if (isSigningOut) return
  const isDesk = /^\/(desk|exam)\//.test(location.pathname)
  // Of a query only the code of a class goes on.
  const code = location.pathname === '/desk/classes/join' ? location.search : ''
  location.replace(isDesk ? `/login?next=${encodeURIComponent(location.pathname + code)}` : '/login')
}

function known() {
  return new Promise<ReturnType<typeof client.session.$user.get>>((resolve) => {
    const stop = client.session.$user.subscribe((user) => {
      if (user === undefined) return
      resolve(user)
      queueMicrotask(() => stop())
    })
  })
}
