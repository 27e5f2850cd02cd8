import { PrecacheController } from 'workbox-precaching/PrecacheController.js'
import { isDesk, SHELLS, shellIn } from './shell-name.ts'

declare const self: ServiceWorkerGlobalScope
/** The built files, with `*` for the language, and what proves the page in each language; `build.ts` puts them in. */
declare const __FILES__: { url: string; revision: string | null }[]
declare const __PAGES__: Record<string, string>

/** The page registers a worker of its language. */
const LANGUAGE = new URLSearchParams(location.search).get('lang') ?? 'en'
const SHELL = shellIn(LANGUAGE)
const PAGE = `/desk?lang=${LANGUAGE}`
/** How long the service may take to answer with the page, before it is opened from this device. */
const PATIENCE_MS = 3_000

/** The files of this version in this language. They are stored whole or not at all. */
const files = new PrecacheController({ cacheName: SHELL })
files.addToCacheList([
  { url: PAGE, revision: SHELL, integrity: __PAGES__[LANGUAGE] },
  ...__FILES__.map(({ url, revision }) => ({ url: url.replace('*', LANGUAGE), revision })),
])

export function install(event: ExtendableEvent): Promise<unknown> {
  return files.install(event)
}

/**
 * The page as the service answers it, so that nobody who is online sees an old one; without an answer of the service,
 * the stored one.
 */
export async function openPage(request: Request): Promise<Response> {
  const answered = fetch(request)
  const ours = answered.then((response) => (isOurs(request, response) ? response : undefined))
  const stored = files.matchPrecache(PAGE)
  const first = await Promise.race([ours, wait(PATIENCE_MS)]).catch(() => undefined)
  return first ?? (await stored) ?? answered
}

/** A built file, of whichever version the page that asks for it is: its name changes with its content. */
export async function readFile(request: Request): Promise<Response> {
  const stored = (await files.matchPrecache(request)) ?? (await caches.match(request, { ignoreVary: true }))
  return stored ?? fetch(request)
}

/**
 * Deletes the files of versions that no tab shows any more. The newest worker does: it knows which version comes next.
 */
export async function dropOldShells(): Promise<void> {
  if (self.registration.installing || self.registration.waiting) return
  const [names, { held = [] }, windows] = await Promise.all([
    caches.keys(),
    navigator.locks.query(),
    self.clients.matchAll({ type: 'window', includeUncontrolled: true }),
  ])
  const shown = held.flatMap(({ name }) => (name?.startsWith(SHELLS) ? [name] : []))
  const tabs = windows.filter(({ url }) => isDesk(new URL(url).pathname))
  // A tab that is still loading doesn't hold its lock yet. It asks for this again when it does.
  if (shown.length < tabs.length) return
  for (const name of names)
    if (name.startsWith(SHELLS) && name !== SHELL && !shown.includes(name)) await caches.delete(name)
}

/** What a proxy or a network's own sign-in page answers is not the service's. */
function isOurs(request: Request, { type, headers }: Response): boolean {
  // The service redirects only from addresses outside of the desk.
  if (type === 'opaqueredirect') return !new URL(request.url).pathname.startsWith('/desk')
  return headers.has('x-request-id')
}

function wait(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
