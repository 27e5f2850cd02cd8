import { pick, type Random } from './draws.ts'
import { evaluateReal, evaluateSized, type RealValue } from './evaluating.ts'
import type { Tree } from './tree.ts'

/** A symbol of a formula, and between which numbers it stands for one. */
export interface Symbol {
  name: string
  from?: string | undefined
  to?: string | undefined
}

/** Points at which a key was evaluated. */
export interface Points {
  values: ReadonlyMap<string, number>[]
  key: RealValue[]
}

const POINTS = 24
/** Points at which a key must be finite, to be told from others. */
export const LEAST_FINITE = 12
/** Steps of a range: fine enough that no formula is equal at all points by chance. */
const STEPS = 2 ** 31

const WIDE: [number, number] = [-3, 3]
const POSITIVE: [number, number] = [0.1, 3]
/** Of the larger value, and of what may cancel out in the key's. */
const NEAR = 1e-9
const NEAR_OF_CANCELLING = 1e-12

/**
 * The points for a question, which `random` decides. Symbols without a range are drawn from −3 to 3, or from 0.1 where
 * the key isn't finite below 0: each by itself, so that one below a root doesn't narrow the others.
 */
export function drawPoints(key: Tree, symbols: readonly Symbol[], random: Random): Points {
  const lots = Array.from({ length: POINTS }, () => symbols.map(() => pick(STEPS + 1, random) / STEPS))
  const open = symbols.filter(({ from, to }) => from === undefined || to === undefined)
  const narrow = new Set<Symbol>()
  let best = pointsWithin(key, symbols, lots, narrow)
  for (const symbol of open) {
    if (countFinite(best) === POINTS) return best
    const points = pointsWithin(key, symbols, lots, new Set([...narrow, symbol]))
    if (countFinite(points) <= countFinite(best)) continue
    best = points
    narrow.add(symbol)
  }
  if (countFinite(best) === POINTS || narrow.size === open.length) return best
  // Where only several together help, as below the root of a product.
  const all = pointsWithin(key, symbols, lots, new Set(open))
  return countFinite(all) > countFinite(best) ? all : best
}

/** How many points tell a right answer from others. */
export function countFinite({ key }: Points): number {
  return key.filter(({ value }) => Number.isFinite(value)).length
}

/** Whether an answer has the key's value wherever the key has one. */
export function isEqual(answer: Tree, { values, key }: Points): boolean {
  return key.every((wanted, index) => {
    if (!Number.isFinite(wanted.value)) return true
    const given = evaluateReal(answer, values[index] ?? new Map())
    if (!Number.isFinite(given)) return false
    const size = Math.max(Math.abs(given), Math.abs(wanted.value))
    // Of the key alone: an answer could have any number on its way, as 10^20 − 10^20, and would be near everything.
    const cancelling = Number.isFinite(wanted.cancelling) ? wanted.cancelling : 0
    const allowed = Math.max(NEAR * size, NEAR_OF_CANCELLING * cancelling)
    return Math.abs(given - wanted.value) <= allowed
  })
}

function pointsWithin(
  key: Tree,
  symbols: readonly Symbol[],
  lots: readonly number[][],
  narrow: ReadonlySet<Symbol>,
): Points {
  const values = lots.map(
    (lot) =>
      new Map(
        symbols.map((symbol, index) => {
          const { name, from, to } = symbol
          const [low, high] =
            from === undefined || to === undefined
              ? narrow.has(symbol)
                ? POSITIVE
                : WIDE
              : [Number(from), Number(to)]
          return [name, low + (high - low) * (lot[index] ?? 0)]
        }),
      ),
  )
  return { values, key: values.map((point) => evaluateSized(key, point)) }
}
