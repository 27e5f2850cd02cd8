/** Items in one line for each owner. Owners take turns; each line keeps its order. */
export class RoundRobin<Owner, Item> {
  length = 0
  /** The owner whose turn it is comes first. */
  readonly #lines = new Map<Owner, Item[]>()

  add(owner: Owner, item: Item): void {
    this.length += 1
    const line = this.#lines.get(owner)
    if (line) line.push(item)
    else this.#lines.set(owner, [item])
  }

  /** The first item of the next owner who may have a turn, and who then goes to the end. */
  take(mayHaveTurn: (owner: Owner) => boolean): { owner: Owner; item: Item } | undefined {
    for (const [owner, line] of this.#lines) {
      if (!mayHaveTurn(owner)) continue
      const [item] = line.splice(0, 1) as [Item]
      this.#lines.delete(owner)
      if (line.length > 0) this.#lines.set(owner, line)
      this.length -= 1
      return { owner, item }
    }
    return undefined
  }

  /** Takes out the last item of the longest line; undefined where nobody has more than one. */
  dropLast(): Item | undefined {
    let longest: Item[] = []
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line
    if (longest.length < 2) return undefined
    this.length -= 1
    return longest.pop()
  }

  /** Takes out all items for which `isMeant` is true. */
  remove(isMeant: (item: Item) => boolean): Item[] {
    const removed: Item[] = []
    for (const [owner, line] of this.#lines) {
      const { meant = [], other = [] } = Object.groupBy(line, (item) => (isMeant(item) ? 'meant' : 'other'))
      removed.push(...meant)
      if (other.length > 0) this.#lines.set(owner, other)
      else this.#lines.delete(owner)
    }
    this.length -= removed.length
    return removed
  }
}
