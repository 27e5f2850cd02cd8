import type { User } from '@exam-practice/client'
import { atom } from 'nanostores'
import { type Answer, ask, client } from './client.ts'
import { isAdministrator } from './roles.ts'

type OwnClass = Answer<'/api/v01/classes', 'get'>['classes'][number]

/** What waits for an administrator or a teacher, by the address where it is answered. */
export const $waiting = atom<Readonly<Record<string, number>>>({})
/** The classes that the person teaches, as far as they are known. */
export const $taught = atom<readonly OwnClass[]>([])

const FRESH_MS = 30_000
const OPEN = { params: { query: { status: 'open' as const } } }
let readAt = 0
let isTaughtKnown = false

/** How many classes ask the person to join. */
export const $invitations = atom(0)

export async function lookForClasses(): Promise<void> {
  const { classes, invitations } = await ask(client.GET('/api/v01/classes', {}))
  $invitations.set(invitations.length)
  $taught.set(classes.filter(({ role }) => role === 'teacher'))
  isTaughtKnown = true
}

/** Reads the counts again, unless they are fresh. */
export async function lookForWaiting(user: User, isForced = false): Promise<void> {
  if (!isForced && Date.now() - readAt < FRESH_MS) return
  readAt = Date.now()
  $waiting.set(await (isAdministrator(user) ? countForAdministrator() : countForTeacher()))
}

/** Teachers who are no administrators are asked about their own exams alone. */
async function countForTeacher(): Promise<Record<string, number>> {
  if (!isTaughtKnown) await lookForClasses()
  if ($taught.get().length === 0) return {}
  const { total } = await ask(client.GET('/api/v01/admin/challenges', OPEN))
  return { '/desk/teach/challenges': total }
}

async function countForAdministrator(): Promise<Record<string, number>> {
  const [requests, challenges, reports] = await Promise.all([
    ask(client.GET('/api/v01/admin/access-requests/counts')),
    ask(client.GET('/api/v01/admin/challenges', OPEN)),
    ask(client.GET('/api/v01/admin/reports', OPEN)),
  ])
  return {
    '/desk/teach/requests': requests.pending,
    '/desk/teach/challenges': challenges.total,
    '/desk/teach/reports': reports.total,
  }
}
