import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts CPU time in these units, on every platform of Node.js. */
const TICKS_PER_SECOND = 100

/** User and system time of a process so far, all threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(user) + Number(system)) / TICKS_PER_SECOND
}

/** User and system time so far of all processes of a program that run on this machine, in seconds. */
export function programCpuSeconds(name: 'postgres' | 'redis-server'): number {
  let seconds = 0
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith(name)) seconds += cpuSeconds(Number(pid))
    } catch {
      // It ended meanwhile.
    }
  return seconds
}

/** Resident memory of a process in MB. */
export function residentMemory(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

/** A value of the service's metrics. */
export async function readMetric(url: string, name: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1])
}

/** How long the event loop of the service was held at most since the last call, in milliseconds. */
export async function longestHold(url: string): Promise<number> {
  return (await readMetric(url, 'nodejs_eventloop_lag_max_seconds')) * 1_000
}

/** Runs every case once in each round (A B C, A B C), so that a slow minute affects all of them alike. */
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

/** The median of each round's quotient: what slowed down a whole round cancels out. */
export function medianRatio(values: number[], others: number[]): number {
  return median(ratioOf('', values, others).values)
}

/** What a benchmark prints, its rows in the table of all benchmarks, and those of the ratchet. */
export interface Report {
  text: string
  findings: Finding[]
  ratios?: Ratio[]
}

/** What the service takes beside its peer, in each round: CPU, memory, statements. Less is better. */
export interface Ratio {
  name: string
  values: number[]
}

/** The quotient of each round. */
export function ratioOf(name: string, values: number[], others: number[]): Ratio {
  return { name, values: values.map((value, round) => value / (others[round] as number)) }
}

/** What was measured, its value, the value of its peer or its unit, the limit, and whether it was kept. */
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
