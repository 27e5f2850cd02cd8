import { atom } from 'nanostores'
import { SHARED } from '../worker/shell-name.ts'

/** Files that another app has shared, until they are in a message that somebody writes. */
export const $shared = atom<readonly File[]>([])

/** Takes what the service worker has got under this id. */
export async function takeShared(id: string): Promise<void> {
  if (!('caches' in globalThis)) return
  const kept = await caches.open(SHARED)
  const found: File[] = []
  for (const request of await kept.keys()) {
    if (!new URL(request.url).pathname.startsWith(`/shared-files/${id}/`)) continue
    const response = await kept.match(request)
    if (!response) continue
    const content = await response.blob()
    const name = decodeURIComponent(response.headers.get('x-name') ?? '')
    found.push(new File([content], name, { type: content.type }))
  }
  await dropShared()
  $shared.set(found)
}

export async function dropShared(): Promise<void> {
  $shared.set([])
  if ('caches' in globalThis) await caches.delete(SHARED)
}
