/** A list in slices of at most this many, in order: for what can't take all of it at once. */
export function* slicesOf<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}

/**
 * A list in slices, in order: each has at most `most.count` things, which together have at most `most.size`, or one
 * larger thing alone.
 */
export function* slicesBySize<T>(
  all: readonly T[],
  most: { count: number; size: number },
  sizeOf: (each: T) => number,
): Generator<T[]> {
  let slice: T[] = []
  let size = 0
  for (const each of all) {
    const own = sizeOf(each)
    if (slice.length > 0 && (slice.length === most.count || size + own > most.size)) {
      yield slice
      slice = []
      size = 0
    }
    slice.push(each)
    size += own
  }
  if (slice.length > 0) yield slice
}
