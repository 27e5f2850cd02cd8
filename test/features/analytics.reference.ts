/** Statistics computed by their definitions, slow and simple. */

export function mean(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

export function median(values: number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other)
  if (sorted.length === 0) return null
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2
}

/** Sample variance: the divisor is n − 1. */
export function variance(values: number[]): number | null {
  const average = mean(values)
  if (average === null || values.length < 2) return null
  return values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1)
}

export function deviation(values: number[]): number | null {
  const squared = variance(values)
  return squared === null ? null : Math.sqrt(squared)
}

export function correlation(xs: number[], ys: number[]): number | null {
  const [x, y] = [mean(xs) ?? 0, mean(ys) ?? 0]
  const xy = xs.reduce((sum, value, index) => sum + (value - x) * ((ys[index] as number) - y), 0)
  const xx = xs.reduce((sum, value) => sum + (value - x) ** 2, 0)
  const yy = ys.reduce((sum, value) => sum + (value - y) ** 2, 0)
  return xx === 0 || yy === 0 ? null : xy / Math.sqrt(xx * yy)
}

/** Cronbach's alpha. Rows are attempts, columns are items. */
export function alpha(marks: number[][], totals: number[]): number | null {
  const items = marks[0]?.length ?? 0
  const total = variance(totals)
  if (items < 2 || !total) return null
  let sum = 0
  for (let item = 0; item < items; item++) sum += variance(marks.map((row) => row[item] as number)) ?? 0
  return (items / (items - 1)) * (1 - sum / total)
}

/** The most common first; equally common ones by number. */
export function mostCommon(values: string[], limit: number): string[] {
  return [...Map.groupBy(values, (value) => value)]
    .sort(([one, ones], [other, others]) => others.length - ones.length || Number(one) - Number(other))
    .slice(0, limit)
    .map(([value]) => value)
}
