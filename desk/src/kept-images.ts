import type { Owner } from '@exam-practice/client'
import { IMAGES, imagesOf } from '../worker/shell-name.ts'
import { client } from './client.ts'

/** Keeps images on this device while their exam is under way; the service worker shows them without a network. */
export async function keepImages(addresses: readonly string[]): Promise<void> {
  const owner = client.session.owner()
  if (!owner || addresses.length === 0 || !('caches' in globalThis)) return
  const kept = await caches.open(imagesOf(owner))
  for (const address of addresses) {
    if (await kept.match(address, { ignoreSearch: true })) continue
    await kept.add(address).catch(() => {})
    // The person may have signed out while it was loading.
    if (client.session.owner()?.stay !== owner.stay) return void (await caches.delete(imagesOf(owner)))
  }
}

/** Deletes the images of everybody, or of all but one. */
export async function dropImages(except?: Owner): Promise<void> {
  if (!('caches' in globalThis)) return
  for (const name of await caches.keys())
    if (name.startsWith(IMAGES) && !(except && name === imagesOf(except))) await caches.delete(name)
}
