import { isDeepStrictEqual } from 'node:util'
import { readInstant } from '../schemas/time-formats.ts'
import { AppError } from './errors.ts'

/**
 * 409 `changed` with the stored values of the fields that are no longer as their sender saw them (`was`). A field that
 * already has the wanted value is no conflict: a repeated request answers the same.
 */
export function requireUnchanged<Fields extends object>(
  stored: Fields,
  was: Partial<Fields> | undefined,
  wanted: { [Name in keyof Fields]?: Fields[Name] | undefined },
): void {
  const names = Object.keys(was ?? {}) as (keyof Fields & string)[]
  const changed = names.filter(
    (name) => !isSame(name, stored[name], was?.[name]) && !isSame(name, stored[name], wanted[name]),
  )
  if (changed.length > 0)
    throw new AppError('changed', {
      details: { stored: Object.fromEntries(changed.map((name) => [name, stored[name]])) },
    })
}

/** Ids have no order, and the same time has many spellings. */
function isSame(name: string, one: unknown, other: unknown): boolean {
  if (other === undefined) return false
  if (name.endsWith('_ids')) return isDeepStrictEqual(new Set(one as number[]), new Set(other as number[]))
  if (name.endsWith('_at')) return instantIn(one) === instantIn(other)
  return isDeepStrictEqual(one, other)
}

const instantIn = (given: unknown) => (typeof given === 'string' ? readInstant(given)?.getTime() : given)
