import { client } from './client.ts'

/** What this browser keeps of a person: nobody else who signs in here sees it. */
const keyOf = (name: string) => `exam-practice:${name}:${client.session.$user.get()?.id}`

/** Browsers can deny storage, or have no room left: then nothing is kept. */
export function readStored<T>(name: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export function writeStored(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(keyOf(name))
    else localStorage.setItem(keyOf(name), JSON.stringify(value))
  } catch {}
}
