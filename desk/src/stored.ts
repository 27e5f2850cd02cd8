import { client } from './client.ts'

const PREFIX = 'exam-practice:'
/** What this browser keeps of a person: nobody else who signs in here sees it. */
const keyOf = (name: string) => `${PREFIX}${name}:${client.session.$user.get()?.id}`
/** Notes that are not saved yet (`views/notes/page-editor.ts`): they wait for their owner, as answers of exams do. */
const UNSAVED = `${PREFIX}page-`

/** Browsers can deny storage, or have no room left: then nothing is kept. */
export function readStored<T>(name: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** When nobody is signed in, nothing is kept: the views of the person who was may still be closing. */
export function writeStored(name: string, value: unknown): void {
  if (!client.session.$user.get()) return
  try {
    if (value === undefined) localStorage.removeItem(keyOf(name))
    else localStorage.setItem(keyOf(name), JSON.stringify(value))
  } catch {}
}

/** Forgets everything but unsaved notes of somebody who signs out, since the next one here could look it up. */
export function dropStored(userId: number): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(PREFIX) && key.endsWith(`:${userId}`) && !key.startsWith(UNSAVED))
        localStorage.removeItem(key)
  } catch {}
}
