/** A list in slices of at most this many, in order: for what can't take all of it at once. */
export function* slicesOf<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}
