import type { FastifyRequest } from 'fastify'

/**
 * The seconds of `Prefer: wait=…` (RFC 7240), at most `most`; undefined without one, and for what is no number of
 * seconds.
 */
export function preferredWait({ headers }: FastifyRequest, most: number): number | undefined {
  const preferences = [headers.prefer ?? []].flat().join(',')
  for (const preference of preferences.split(',')) {
    const [name = '', value = ''] = (preference.split(';', 1)[0] ?? '').split('=', 2)
    if (name.trim().toLowerCase() !== 'wait') continue
    // Of several the first one counts.
    const [, seconds] = /^"?(\d+)"?$/.exec(value.trim()) ?? []
    return seconds === undefined ? undefined : Math.min(Number(seconds), most)
  }
  return undefined
}
