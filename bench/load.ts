import autocannon, { type Request } from 'autocannon'
import { cpuSeconds, median, summarise } from './measure.ts'
import type { Server } from './world.ts'

/** Connections that ask one after another, each for itself. */
export const CONNECTIONS = 64

/** What a load showed: milliseconds, and the server's CPU time a request in microseconds. */
export interface Load {
  answered: number
  perSecond: number
  p50: number
  p99: number
  cpu: number
}

/** Asks as often as the server answers; `next` sets the next request. Throws if one is refused. */
export async function load(
  { url, pid }: Server,
  seconds: number,
  next: (request: Request) => void,
): Promise<Load> {
  const before = cpuSeconds(pid)
  const setupRequest = (request: Request) => {
    next(request)
    return request
  }
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [{ setupRequest }],
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
  const answered = result['2xx']
  return {
    answered,
    perSecond: answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpu: ((cpuSeconds(pid) - before) / answered) * 1e6,
  }
}

/** Cells of a table: the rate, both latencies and the CPU time of several loads. */
export function describeLoads(loads: Load[]): string[] {
  const column = (name: keyof Load) => loads.map((each) => each[name])
  return [
    summarise(column('perSecond')),
    median(column('p50')).toFixed(0),
    median(column('p99')).toFixed(0),
    summarise(column('cpu')),
  ]
}
