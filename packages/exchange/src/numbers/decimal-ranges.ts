import { digitsAt, parseDecimal, writeDecimal } from './decimals.ts'

/** The middle of a range and the distance of its ends, without rounding; undefined if it is no range. */
export function halfway(from: string, to: string): [middle: string, distance: string] | undefined {
  const [low, high] = [parseDecimal(from), parseDecimal(to)]
  if (!low || !high) return undefined
  // One digit more: a half has one.
  const scale = Math.max(low.scale, high.scale) + 1
  const [start, end] = [digitsAt(low, scale), digitsAt(high, scale)]
  return end < start
    ? undefined
    : [
        writeDecimal({ digits: (start + end) / 2n, scale }),
        writeDecimal({ digits: (end - start) / 2n, scale }),
      ]
}
