/**
 * Cards in an order in which neighbours don't share their first tag, where there is such an order; otherwise
 * as few as possible do. Whoever comes first stays as far ahead as that allows. Cards without a tag share none.
 */
export function spread<T>(cards: readonly T[], firstTagOf: (card: T) => string | undefined): T[] {
  const rest = cards.map((card) => ({ card, tag: firstTagOf(card) }))
  const left = new Map<string, number>()
  for (const { tag } of rest) if (tag !== undefined) left.set(tag, (left.get(tag) ?? 0) + 1)
  const ordered: T[] = []
  let last: string | undefined
  while (rest.length > 0) {
    // A tag that more than half of the rest have must come now, and at every second place from now on.
    const pressing = [...left].find(([tag, count]) => tag !== last && 2 * count > rest.length)?.[0]
    const fits = (tag: string | undefined) =>
      pressing === undefined ? tag === undefined || tag !== last : tag === pressing
    const at = Math.max(
      0,
      rest.findIndex(({ tag }) => fits(tag)),
    )
    const [next] = rest.splice(at, 1)
    if (!next) break
    if (next.tag !== undefined) left.set(next.tag, (left.get(next.tag) ?? 0) - 1)
    last = next.tag
    ordered.push(next.card)
  }
  return ordered
}
