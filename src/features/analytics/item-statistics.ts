/**
 * Two quantities that are observed in pairs: their means, and their sums of squared and multiplied deviations,
 * updated without subtracting large numbers from one another. A quantity that never varies has a sum of exactly 0.
 */
export class Moments {
  count = 0
  meanX = 0
  meanY = 0
  #xx = 0
  #yy = 0
  #xy = 0

  add(x: number, y: number): void {
    this.count += 1
    const dx = x - this.meanX
    const dy = y - this.meanY
    this.meanX += dx / this.count
    this.meanY += dy / this.count
    this.#xx += dx * (x - this.meanX)
    this.#yy += dy * (y - this.meanY)
    this.#xy += dx * (y - this.meanY)
  }

  /** Adds the other's pairs. */
  merge(other: Moments): void {
    const count = this.count + other.count
    if (count === 0) return
    const dx = other.meanX - this.meanX
    const dy = other.meanY - this.meanY
    const weight = (this.count * other.count) / count
    this.#xx += other.#xx + dx * dx * weight
    this.#yy += other.#yy + dy * dy * weight
    this.#xy += other.#xy + dx * dy * weight
    this.meanX += (dx * other.count) / count
    this.meanY += (dy * other.count) / count
    this.count = count
  }

  copy(): Moments {
    const copy = new Moments()
    copy.merge(this)
    return copy
  }

  /** With n − 1; null for fewer than two. */
  get varianceX(): number | null {
    return this.count < 2 ? null : this.#xx / (this.count - 1)
  }

  /** Pearson's; null where either never varies. */
  get correlation(): number | null {
    if (this.#xx === 0 || this.#yy === 0) return null
    return Math.max(-1, Math.min(1, this.#xy / Math.sqrt(this.#xx * this.#yy)))
  }
}

/** null of nothing. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** Cronbach's, from the variances of the items and of their total; null for fewer than two items or no variance. */
export function cronbachAlpha(
  itemVariances: readonly (number | null)[],
  totalVariance: number | null,
): number | null {
  const count = itemVariances.length
  if (count < 2 || totalVariance === null || totalVariance === 0) return null
  const sum = itemVariances.reduce<number>((total, variance) => total + (variance ?? 0), 0)
  return (count / (count - 1)) * (1 - sum / totalVariance)
}
