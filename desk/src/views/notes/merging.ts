import type { Mark } from './drawing.tsx'

/** What was done to a page here since it was last the same as the service's. */
export interface Edits {
  /** The ids of all marks, from the lowest one up. */
  order: string[]
  /** Marks that are new, or otherwise than they were. */
  changed: Mark[]
  /** How those were that are otherwise now, or gone. */
  was: Mark[]
  /** Whether marks that were there before lie in another order. */
  isReordered: boolean
}

/** A mark that was changed here and on another device; without one of the two it was deleted there. */
export interface Clash {
  id: string
  mine: Mark | undefined
  theirs: Mark | undefined
}

type Side = 'mine' | 'theirs'

export function editsOf(stored: readonly Mark[], marks: readonly Mark[]): Edits {
  const [before, now] = [byId(stored), byId(marks)]
  const stayed = marks.filter(({ id }) => before.has(id))
  const left = stored.filter(({ id }) => now.has(id))
  return {
    order: marks.map(({ id }) => id),
    changed: marks.filter((mark) => !isSame(before.get(mark.id), mark)),
    was: stored.filter((mark) => !isSame(now.get(mark.id), mark)),
    isReordered: stayed.some(({ id }, index) => left[index]?.id !== id),
  }
}

/**
 * What was done here, on top of what is there now: marks are things of their own, so those of both stay, and what one
 * side changed is changed. For marks that both changed otherwise, `side` decides.
 */
export function merge(
  { order, changed, was, isReordered }: Edits,
  theirs: readonly Mark[],
  side: Side = 'mine',
): { marks: Mark[]; clashes: Clash[] } {
  const [there, now, before] = [byId(theirs), byId(changed), byId(was)]
  const clashes: Clash[] = []
  const kept = new Map(there)
  for (const id of new Set([...now.keys(), ...before.keys()])) {
    const clash: Clash = { id, mine: now.get(id), theirs: there.get(id) }
    // New here: nobody else has its id.
    const isClash =
      before.has(id) && !isSame(clash.theirs, before.get(id)) && !isSame(clash.theirs, clash.mine)
    if (isClash) clashes.push(clash)
    const mark = isClash && side === 'theirs' ? clash.theirs : clash.mine
    if (mark) kept.set(id, isSame(clash.theirs, mark) ? (clash.theirs as Mark) : mark)
    else kept.delete(id)
  }
  const stack = theirs.map(({ id }) => id)
  const ids = isReordered ? weave(order, stack) : weave(stack, order)
  return { marks: ids.flatMap((id) => kept.get(id) ?? []), clashes }
}

/** What the page would have been before `edits` if the other device had done all else before. */
export function baseOf({ changed, was }: Edits, theirs: readonly Mark[]): Mark[] {
  const isMine = new Set([...changed, ...was].map(({ id }) => id))
  return [...theirs.filter(({ id }) => !isMine.has(id)), ...was]
}

/** All ids: those that only the second list has lie below what is above them there, or on top. */
function weave(ids: readonly string[], others: readonly string[]): string[] {
  const known = new Set(ids)
  const below = new Map<string, string[]>()
  let run: string[] = []
  for (const id of others)
    if (known.has(id)) {
      below.set(id, run)
      run = []
    } else run.push(id)
  return [...ids.flatMap((id) => [...(below.get(id) ?? []), id]), ...run]
}

const byId = (marks: readonly Mark[]) => new Map(marks.map((mark) => [mark.id, mark]))

function isSame(one: Mark | undefined, other: Mark | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
