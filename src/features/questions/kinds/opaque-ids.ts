import { createHash } from 'node:crypto'

/** Bytes of an id: 72 bits, which base64url writes without padding. */
const ID_BYTES = 9

/**
 * Ids that look random without the seed, which never leaves the service: always the same for one seed and name. In
 * their own order they are a shuffle in which every order is equally likely.
 */
export function opaqueIds(seed: string, name: string, count: number): string[] {
  if (count === 0) return []
  const bytes = createHash('shake256', { outputLength: count * ID_BYTES })
    .update(`${seed}/${name}`)
    .digest()
  return Array.from({ length: count }, (_, index) =>
    bytes.toString('base64url', index * ID_BYTES, (index + 1) * ID_BYTES),
  )
}

/** Shuffles things; one seed and name always give one order. */
export function shuffled<T>(seed: string, name: string, things: readonly T[]): T[] {
  return byIds(opaqueIds(seed, name, things.length), things).map(({ thing }) => thing)
}

/** Texts with ids, in the order of the ids. */
export function withIds(
  seed: string,
  name: string,
  texts: readonly string[],
): { id: string; text: string }[] {
  return byIds(opaqueIds(seed, name, texts.length), texts).map(({ id, thing }) => ({ id, text: thing }))
}

function byIds<T>(ids: string[], things: readonly T[]): { id: string; thing: T }[] {
  return ids
    .map((id, index) => ({ id, thing: things[index] as T }))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}
