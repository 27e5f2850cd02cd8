/**
 * A page's stack after a sync: deleted objects leave it, then the synced ones take the places from `start` on, or the
 * top if the stack is shorter (docs/protocol/http.md#notes). Applying the same sync again changes nothing more.
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
