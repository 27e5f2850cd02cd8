import { readFileSync, writeFileSync } from 'node:fs'
import { median, type Ratio, table } from './measure.ts'

const FILE = new URL('ratchet.json', import.meta.url)

/** A ratio varies by this part of it even where the rounds of one run agree. */
const LEAST_SPREAD = 0.05

interface Row {
  ratio: number
  /** How much higher it may be next time. */
  spread: number
}

/**
 * Compares ratios with those in `ratchet.json`. What is new, or lower by more than its spread, is recorded there.
 * Answers a table, and the names of those that are higher by more than their spread.
 */
export function turnRatchet(ratios: readonly Ratio[]): { text: string; worse: string[] } {
  const recorded: Record<string, Row> = JSON.parse(readFileSync(FILE, 'utf8'))
  const rows = ratios.map(({ name, values }) => {
    const known = recorded[name]
    const now = describe(values)
    const isWorse = known !== undefined && now.ratio > round(known.ratio + known.spread)
    if (!known || now.ratio < known.ratio - known.spread) recorded[name] = now
    return { name, known, now, isWorse }
  })
  writeFileSync(FILE, `${JSON.stringify(recorded, undefined, 2)}\n`)
  const show = (row: Row | undefined) => (row ? `${row.ratio} ± ${row.spread}` : 'new')
  const cells = rows.map(({ name, known, now, isWorse }) => [
    name,
    String(now.ratio),
    show(known),
    isWorse ? 'yes' : 'no',
  ])
  return {
    text: table(['', 'now', 'recorded', 'worse'], cells),
    worse: rows.filter(({ isWorse }) => isWorse).map(({ name }) => name),
  }
}

function describe(values: readonly number[]): Row {
  const ratio = median([...values])
  // Twice the median deviation: one round that something else disturbed says nothing.
  const deviation = median(values.map((value) => Math.abs(value - ratio)))
  const spread = Math.max(2 * deviation, LEAST_SPREAD * ratio)
  return { ratio: round(ratio), spread: round(spread) }
}

function round(value: number): number {
  return Number(value.toFixed(3))
}
