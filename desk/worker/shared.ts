import { SHARED } from './shell-name.ts'

/**
 * What another app of this device shares comes as a form (`share_target` in `public/app.webmanifest`). It waits on this
 * device until the chat has taken it, where the person says to whom it goes.
 */
export async function takeShared(request: Request): Promise<Response> {
  const form = await request.formData()
  // What was shared before and never sent was not wanted.
  await caches.delete(SHARED)
  const kept = await caches.open(SHARED)
  for (const [at, file] of form.getAll('files').entries())
    if (file instanceof File)
      await kept.put(`${at}`, new Response(file, { headers: { 'x-name': encodeURIComponent(file.name) } }))
  return Response.redirect('/desk/chat?shared=1', 303)
}
