import { client } from './client.ts'

/**
 * The page that is served after a sign-in by form says whom its cookie names: the desk goes on as that person. False:
 * nobody is signed in either way.
 */
export async function enter(): Promise<boolean> {
  const user = await known()
  const named = Number(document.documentElement.dataset.userId)
  if (user && (!named || named === user.id)) return true
  const { user: entered } = await client.session.exchange()
  return entered !== undefined || (user !== null && !named)
}

let isSigningOut = false

/** Out of the service altogether: the tokens, what was kept, and the cookie that would bring them back. */
export async function signOut(): Promise<void> {
  isSigningOut = true
  await client.session.logout().catch(() => false)
  await fetch('/logout', { method: 'POST', headers: { accept: 'application/json' } }).catch(() => undefined)
  location.assign('/login')
}

/** To the sign-in, and back here after it. */
export function leaveForSignIn(): void {
  // Going now would cut off what still has to be ended.
  if (isSigningOut) return
  const isDesk = /^\/(desk|exam)\//.test(location.pathname)
  location.replace(isDesk ? `/login?next=${encodeURIComponent(location.pathname)}` : '/login')
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
