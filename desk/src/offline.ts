import { shellIn } from '../worker/shell-name.ts'
import { client } from './client.ts'
import { dropImages } from './kept-images.ts'
import { keepPushesOn } from './push.ts'
import { dropShared } from './shared-files.ts'

/**
 * Makes the desk open without the service. Browsers allow it in secure contexts (https or localhost) only; elsewhere
 * the desk needs the service to open.
 */
export function startOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // Held as long as this tab lives: the worker keeps this version's files as long.
  const { lang } = document.documentElement
  void navigator.locks.request(shellIn(lang), { mode: 'shared' }, () => new Promise(() => {}))
  // After everything that the first view needs.
  addEventListener('load', () => {
    navigator.serviceWorker
      .register(`/desk/worker.js?lang=${lang}`, { scope: '/', updateViaCache: 'none' })
      .then(({ active }) => active?.postMessage('loaded'))
      .catch(() => client.diagnostics.note('worker.refused'))
  })
  navigator.serviceWorker.addEventListener('message', () => void keepPushesOn().catch(() => {}))
  // Sessions end in several ways, also while no tab is open.
  let stay: string | undefined
  client.session.$user.subscribe((user) => {
    if (user === undefined) return
    const owner = client.session.owner()
    void dropImages(owner).catch(() => {})
    // Somebody else may sign in over a session that goes on.
    if (user === null || (stay !== undefined && stay !== owner?.stay)) void dropShared().catch(() => {})
    stay = owner?.stay
    if (user !== null) return
    void navigator.clearAppBadge?.().catch(() => {})
  })
}
