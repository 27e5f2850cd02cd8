import { SHARED } from './shell-name.ts'

/** As many files as a message takes, each as large. Any page can send such a form, whatever the manifest accepts. */
const MOST_FILES = 10
const MOST_BYTES = 25_000_000

function isPicture({ type, size }: File): boolean {
  return /^image\/(png|jpeg|gif|webp)$/.test(type) && size <= MOST_BYTES
}

/**
 * What another app of this device shares comes as a form (`share_target` in `public/app.webmanifest`). It waits on this
 * device until the chat has taken it, where the person says to whom it goes.
 */
export async function takeShared(request: Request): Promise<Response> {
  const form = await request.formData().catch(() => new FormData())
  const files = form.getAll('files').filter((file) => file instanceof File && isPicture(file)) as File[]
  // What was shared before and never sent was not wanted.
  await caches.delete(SHARED)
  const kept = await caches.open(SHARED)
  // Outside of the desk's own addresses, which are read from all caches.
  for (const [at, file] of files.slice(0, MOST_FILES).entries())
    await kept.put(
      `/shared-files/${at}`,
      new Response(file, { headers: { 'x-name': encodeURIComponent(file.name) } }),
    )
  return Response.redirect('/desk/chat?shared=1', 303)
}
