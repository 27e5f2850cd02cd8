import { RequestFailed } from '../../client.ts'
import { promptForVersion } from '../dialogs/prompts.tsx'

/** What somebody has changed of what is stored, and how it was when they saw it. */
export interface FormChanges<T> {
  changes: Partial<T>
  was: Partial<T>
}

/** Sent alone: what others have changed meanwhile stays. */
export function compare<T extends object>(before: T, now: Partial<T>): FormChanges<T> {
  const names = (Object.keys(now) as (keyof T)[]).filter((name) => !isSame(before[name], now[name]))
  return { changes: pick(now, names), was: pick(before, names) }
}

export function isEmpty({ changes }: FormChanges<object>): boolean {
  return Object.keys(changes).length === 0
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export function pick<T extends object>(of: Partial<T>, names: readonly (keyof T)[]): Partial<T> {
  return Object.fromEntries(names.map((name) => [name, of[name]])) as Partial<T>
}

function omit<T extends object>(of: Partial<T>, names: readonly (keyof T)[]): Partial<T> {
  return pick(
    of,
    (Object.keys(of) as (keyof T)[]).filter((name) => !names.includes(name)),
  )
}

/** A field in words, for the question which of two versions stays. */
export interface Describe<T> {
  label: (name: keyof T & string) => string
  /** `version`: the fields in this one of the two versions. */
  value: (name: keyof T & string, value: unknown, version: Partial<T>) => string
}

/**
 * Sends changes; `send` answers `false` if they are not to be made. If somebody else has changed the same fields
 * meanwhile, or those on which the changes are based (`was`), both versions are shown and the person decides. False if
 * nothing was decided.
 */
export async function sendChanges<T extends object>(
  { changes, was }: FormChanges<T>,
  send: (changes: Partial<T>, was: Partial<T>) => Promise<unknown>,
  describe: Describe<T>,
): Promise<false | 'sent' | 'decided'> {
  if (isEmpty({ changes, was })) return 'sent'
  try {
    return (await send(changes, was)) !== false && 'sent'
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.code !== 'changed') throw error
    const stored = error.failure.stored as Partial<T>
    const names = Object.keys(stored) as (keyof T & string)[]
    const own = { ...was, ...changes }
    const kept = await promptForVersion(
      names.map((name) => ({
        label: describe.label(name),
        stored: describe.value(name, stored[name], stored),
        own: describe.value(name, own[name], own),
      })),
    )
    if (kept === undefined) return false
    const decided =
      kept === 'own'
        ? { changes: { ...pick(own, names), ...changes }, was: { ...was, ...stored } }
        : { changes: omit(changes, names), was: omit(was, names) }
    return (await sendChanges(decided, send, describe)) && 'decided'
  }
}
