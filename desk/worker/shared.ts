import { SHARED } from './shell-name.ts'

declare const self: ServiceWorkerGlobalScope

/** As many files as a message takes, each as large. Any page can send such a form, whatever the manifest accepts. */
const MOST_FILES = 10
const MOST_BYTES = 25_000_000

function isPicture({ type, size }: File): boolean {
  return /^image\/(png|jpeg|gif|webp)$/.test(type) && size <= MOST_BYTES
}

/**
 * What another app of this device shares comes as a form (`share_target` in `public/app.webmanifest`). It waits on this
 * device, under an id that nobody else knows, until the chat has taken it, where the person says to whom it goes.
 *
 * Other sites can send such a form too, and hide where it comes from: `Origin` is `null` then, as for the browser's
 * own. Only to the service does the browser say who sent it, and the service leads to the chat with the id or without
 * it.
 */
export async function takeShared(request: Request): Promise<Response> {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== 'null' && origin !== location.origin)
    return Response.redirect('/desk/chat', 303)
  const form = await request.formData().catch(() => new FormData())
  const files = form.getAll('files').filter((file) => file instanceof File && isPicture(file)) as File[]
  // What was shared before and never sent was not wanted.
  await caches.delete(SHARED)
  const kept = await caches.open(SHARED)
  const id = crypto.randomUUID()
  // Outside of the desk's own addresses, which are read from all caches.
  for (const [at, file] of files.slice(0, MOST_FILES).entries())
    await kept.put(
      `/shared-files/${id}/${at}`,
      new Response(file, { headers: { 'x-name': encodeURIComponent(file.name) } }),
    )
  // Without a network there is no other site either.
  return Response.redirect(self.navigator.onLine ? `/desk/share/${id}` : `/desk/chat?shared=${id}`, 303)
}

/** Whether the service has to see this request as the browser sent it. */
export function isJudged(pathname: string): boolean {
  return pathname.startsWith('/desk/share/')
}
