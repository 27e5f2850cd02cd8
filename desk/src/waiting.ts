import { atom } from 'nanostores'
import { ask, client } from './client.ts'

/** What waits for an administrator, by the address where it is answered. */
export const $waiting = atom<Readonly<Record<string, number>>>({})

const FRESH_MS = 30_000
let readAt = 0

/** Reads the counts again, unless they are fresh. */
export async function lookForWaiting(isForced = false): Promise<void> {
  if (!isForced && Date.now() - readAt < FRESH_MS) return
  readAt = Date.now()
  const open = { params: { query: { status: 'open' as const } } }
  const [requests, challenges, reports] = await Promise.all([
    ask(client.GET('/api/v01/admin/access-requests/counts')),
    ask(client.GET('/api/v01/admin/challenges', open)),
    ask(client.GET('/api/v01/admin/reports', open)),
  ])
  $waiting.set({
    '/desk/teach/requests': requests.pending,
    '/desk/teach/challenges': challenges.total,
    '/desk/teach/reports': reports.total,
  })
}
