/**
 * A page's stack after a sync: what is gone leaves it first, then the run takes the places from `start` on,
 * or the top where the stack ends before (contract §9, §10). The same run placed again changes nothing.
 */
export function placeRun(
  stack: readonly number[],
  gone: readonly number[],
  run: readonly number[],
  start: number,
) {
  const lifted = new Set([...gone, ...run])
  const placed = stack.filter((id) => !lifted.has(id))
  placed.splice(start, 0, ...run)
  return placed
}

export function sameStack(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index])
}
