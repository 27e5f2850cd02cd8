import { readFileSync } from 'node:fs'

/** Of Linux on every platform that Node.js runs on. */
const TICKS_PER_SECOND = 100

/** User and system time of a process so far, all threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(user) + Number(system)) / TICKS_PER_SECOND
}

/** Runs every case once a round, A B C, A B C, so that a slow minute hits all of them. */
export async function interleave<Case, Result>(
  cases: Case[],
  rounds: number,
  run: (each: Case) => Promise<Result>,
): Promise<Map<Case, Result[]>> {
  const results = new Map<Case, Result[]>(cases.map((each) => [each, []]))
  for (let round = 0; round < rounds; round++)
    for (const each of cases) results.get(each)?.push(await run(each))
  return results
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

/** `q` from 0 to 1. */
export function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

/** `median (least–most)` */
export function summarise(values: number[], digits = 0): string {
  const show = (value: number) =>
    value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${show(median(values))} (${show(Math.min(...values))}–${show(Math.max(...values))})`
}

/** Of each round's two values, so that what slowed a round down cancels out; then the middle one. */
export function medianRatio(values: number[], others: number[]): number {
  return median(values.map((value, round) => value / (others[round] as number)))
}

/** What a benchmark prints, and its rows of the table of everything. */
export interface Report {
  text: string
  findings: Finding[]
}

/** What was measured, how much it is, the same of its peer or its unit, what it may be, and whether it is. */
type Finding = [what: string, value: string, beside: string, limit: string, isMet: 'yes' | 'no']

export function find(
  what: string,
  value: number,
  beside: string,
  sign: '≤' | '≥',
  limit: number,
  digits = 2,
): Finding {
  const isMet = sign === '≤' ? value <= limit : value >= limit
  return [what, value.toFixed(digits), beside, `${sign} ${limit}`, isMet ? 'yes' : 'no']
}

export function summariseFindings(findings: Finding[]): string {
  return table(['', 'value', 'beside', 'aim', 'met'], findings)
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n')
}
