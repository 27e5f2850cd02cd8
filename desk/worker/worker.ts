import { storedOwner } from '@exam-practice/client'
import { indexedDbStore } from '@exam-practice/client/indexeddb'
import { openPush, renewSubscription, showPush } from './pushes.ts'
import { isJudged, takeShared } from './shared.ts'
import { dropOldShells, install, openPage, readFile } from './shell.ts'
import { imagesOf, isDesk } from './shell-name.ts'

declare const self: ServiceWorkerGlobalScope

self.addEventListener('install', (event) => {
  // Tabs of the version before go on with their own files, so nothing has to wait for them.
  event.waitUntil(install(event).then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim().then(dropOldShells)))

// A tab has loaded, and holds the lock of its version.
self.addEventListener('message', (event) => event.waitUntil(dropOldShells()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.method === 'POST' && pathname === '/desk/share') return event.respondWith(takeShared(request))
  if (request.method !== 'GET' || isJudged(pathname)) return
  if (request.mode === 'navigate') {
    if (!isDesk(pathname)) return
    event.respondWith(openPage(request))
  } else if (pathname.startsWith('/desk/')) event.respondWith(readFile(request))
  else if (request.destination === 'image') event.respondWith(readImage(request))
})

self.addEventListener('push', (event) => event.waitUntil(showPush(event.data)))
self.addEventListener('notificationclick', (event) => event.waitUntil(openPush(event)))
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewSubscription(event)))

/** An image as the service has it now; without the service, as it was when this person's exam began. */
async function readImage(request: Request): Promise<Response> {
  const answered = await fetch(request).catch(() => undefined)
  // The signature has expired: an exam can take longer than an address is valid.
  if (answered && answered.status !== 403) return answered
  const owner = await storedOwner(indexedDbStore())
  // In a new address the signature is another one.
  const options = owner && { cacheName: imagesOf(owner), ignoreSearch: true }
  const kept = options && (await caches.match(request, options))
  return kept ?? answered ?? Response.error()
}
