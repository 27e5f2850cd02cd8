import { RequestFailed } from '../../client.ts'
import { promptForVersion } from '../dialogs/prompts.tsx'

/** What somebody has changed of what is stored, and how it was when they saw it. */
export interface Changes<T> {
  changes: Partial<T>
  was: Partial<T>
}

/** Sent alone: what others have changed meanwhile stays. */
export function compare<T extends object>(before: T, now: Partial<T>): Changes<T> {
  const names = (Object.keys(now) as (keyof T)[]).filter((name) => !isSame(before[name], now[name]))
  return { changes: pick(now, names), was: pick(before, names) }
}

export function isEmpty({ changes }: Changes<object>): boolean {
  return Object.keys(changes).length === 0
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export function pick<T extends object>(of: Partial<T>, names: readonly (keyof T)[]): Partial<T> {
  return Object.fromEntries(names.map((name) => [name, of[name]])) as Partial<T>
}

/** A field in words, for the question which of two versions stays. */
export interface Describe<T> {
  label: (name: keyof T & string) => string
  value: (name: keyof T & string, value: unknown) => string
}

/**
 * Sends changes; `send` answers `false` if they are not to be made. Where somebody else has changed the same meanwhile,
 * both are shown and the person decides. False if nothing was decided.
 */
export async function sendChanges<T extends object>(
  { changes, was }: Changes<T>,
  send: (changes: Partial<T>, was: Partial<T>) => Promise<unknown>,
  describe: Describe<T>,
): Promise<boolean> {
  if (isEmpty({ changes, was })) return true
  try {
    return (await send(changes, was)) !== false
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.code !== 'changed') throw error
    const stored = error.failure.stored as Partial<T>
    const names = Object.keys(stored) as (keyof T & string)[]
    const kept = await promptForVersion(
      names.map((name) => ({
        label: describe.label(name),
        stored: describe.value(name, stored[name]),
        own: describe.value(name, changes[name]),
      })),
    )
    if (kept === undefined) return false
    const others = (Object.keys(changes) as (keyof T & string)[]).filter((name) => !names.includes(name))
    return kept === 'own'
      ? sendChanges({ changes, was: { ...was, ...stored } }, send, describe)
      : sendChanges({ changes: pick(changes, others), was: pick(was, others) }, send, describe)
  }
}
